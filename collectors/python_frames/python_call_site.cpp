// SPDX-License-Identifier: Apache-2.0
// States of the collector:
//   unknown --init--> found --structure checked on a thread with frames--> ready
//   any --> off, for good, with one note
// While ready, the first call that happens to hold the GIL compares with the public API.
#include "collectors/python_frames/python_call_site.hpp"

#include <pthread.h>

#include <atomic>

#include "collectors/python_frames/interpreter.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "collectors/python_frames/loop_positions.hpp"

namespace stepscope {
namespace python {
namespace {

enum class State : int { unknown, finding, found, checking, ready, off };

constexpr int kMaxDepth = 256;

constinit std::atomic<State> state{State::unknown};
constinit std::atomic<bool> compared{false};
constinit Interpreter interpreter{};
constinit std::atomic<bool> reads_loops{false};

void switch_off(const char* why) noexcept {
  if (state.exchange(State::off, std::memory_order_acq_rel) != State::off) recorder::note(why);
}

// --- the walk ---

struct Walked {
  Object frame = nullptr, code = nullptr;  // the least foreign one
  Object own = nullptr,
         own_code = nullptr;  // the innermost that is neither torch's nor the library's
};

[[gnu::hot]] Walked walk(Object frame) noexcept {
  Walked found;
  SourceKind least = SourceKind::library;
  for (int depth = 0; frame != nullptr && depth < kMaxDepth; ++depth) {
    if (const Object code = code_of(interpreter.layout, interpreter.code_type, frame)) {
      const SourceKind kind = kind_of(interpreter.layout, code);
      if (found.own == nullptr && kind <= SourceKind::package)
        found.own = frame, found.own_code = code;
      if (found.frame == nullptr || kind < least)
        found.frame = frame, found.code = code, least = kind;
      if (kind == SourceKind::user) break;
    }
    frame = previous_frame(interpreter.layout, frame);
  }
  return found;
}

bool compare_once(Object thread) noexcept {
  if (interpreter.holder_of_gil() != thread || compared.exchange(true)) return true;
  switch (compare_with_api(interpreter, thread)) {
    case Verdict::no_frames:
      compared.store(false);
      return true;
    case Verdict::fits:
      recorder::fact("python_call_sites", "on, compared with the interpreter's API");
      return true;
    case Verdict::differs:
      break;
  }
  switch_off("python call sites are off: the interpreter's API disagrees with the known layout");
  return false;
}

[[gnu::hot]] recorder::SiteRef look_up(Object thread) noexcept {
  if (load<Object>(thread, interpreter.layout.thread_interpreter) != interpreter.main_interpreter())
    return 0;
  const Object frame = innermost_frame(interpreter.layout, thread);
  if (frame == nullptr) return 0;
  if (!compared.load(std::memory_order_relaxed) && !compare_once(thread)) return 0;
  const Walked found = walk(frame);
  const Layout& at = interpreter.layout;
  const recorder::SiteRef site =
      found.frame == nullptr ? 0 : site_of(at, found.code, unit_of(at, found.frame, found.code));
  if (found.own != nullptr && reads_loops.load(std::memory_order_relaxed))
    note_loop_positions(interpreter, frame, found.own, found.own_code);
  recorder::count_site_lookup(site != 0);
  return site;
}

void prepare_loops() noexcept {
  if (!can_read_loops(interpreter))
    return recorder::fact("loop_positions.missing", "this version's instructions are not known");
  recorder::fact("loop_positions", "noted");
  pthread_atfork(nullptr, nullptr, forget_loop_positions);
  reads_loops.store(true, std::memory_order_relaxed);
}

// One thread checks; others find no site meanwhile.
bool check(Object thread) noexcept {
  State expected = State::found;
  if (!state.compare_exchange_strong(expected, State::checking)) return expected == State::ready;
  switch (check_structure(interpreter, thread)) {
    case Verdict::no_frames:
      state.store(State::found, std::memory_order_release);
      return false;
    case Verdict::fits:
      prepare_loops();
      state.store(State::ready, std::memory_order_release);
      recorder::collecting(recorder::Collector::call_sites);
      return true;
    case Verdict::differs:
      break;
  }
  switch_off("python call sites are off: the interpreter's frames do not have the known layout");
  return false;
}

// The thread's state, where it has one and the interpreter is neither starting nor ending.
Object usable_thread() noexcept {
  const Object thread = interpreter.this_thread();
  return thread == nullptr || interpreter.is_finalizing() != 0 ? nullptr : thread;
}

}  // namespace

const Interpreter* checked_interpreter() noexcept {
  return state.load(std::memory_order_acquire) == State::ready ? &interpreter : nullptr;
}

}  // namespace python

void init_python_call_sites() noexcept {
  using namespace python;
  State expected = State::unknown;
  if (!state.compare_exchange_strong(expected, State::finding)) return;
  const char* why = nullptr;
  switch (find_interpreter(interpreter, why)) {
    case Found::nothing:
      state.store(State::unknown, std::memory_order_release);
      return;
    case Found::ready:
      state.store(State::found, std::memory_order_release);
      return;
    case Found::unsupported:
      switch_off(why);
      return;
  }
}

[[gnu::hot]] recorder::SiteRef python_call_site() noexcept {
  using namespace python;
  if (state.load(std::memory_order_acquire) != State::ready) [[unlikely]]
    check_python();
  if (state.load(std::memory_order_acquire) != State::ready) return 0;
  const Object thread = usable_thread();
  return thread == nullptr ? 0 : look_up(thread);
}

void check_python() noexcept {
  using namespace python;
  static constinit std::atomic<bool> tried{false};
  if (state.load(std::memory_order_acquire) == State::unknown && !tried.exchange(true))
    init_python_call_sites();
  if (state.load(std::memory_order_acquire) != State::found) return;
  if (const Object thread = usable_thread(); thread != nullptr) (void)check(thread);
}

[[gnu::hot]] std::uintptr_t python_frame() noexcept {
  using namespace python;
  if (state.load(std::memory_order_acquire) != State::ready) return 0;
  const Object thread = usable_thread();
  return thread == nullptr
             ? 0
             : reinterpret_cast<std::uintptr_t>(innermost_frame(interpreter.layout, thread));
}

}  // namespace stepscope

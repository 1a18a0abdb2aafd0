// SPDX-License-Identifier: Apache-2.0
// States of the collector:
//   unknown --init--> found --structure checked on a thread with frames--> ready
//   any --> off, for good, with one note
// While ready, the first call that happens to hold the GIL compares with the public API.
#include "collectors/python_frames/python_call_site.hpp"

#include <atomic>

#include "collectors/python_frames/code_identity.hpp"
#include "collectors/python_frames/interpreter.hpp"
#include "collectors/python_frames/line_table.hpp"
#include "collectors/python_frames/site_cache.hpp"
#include "collectors/python_frames/source_kind.hpp"
#include "collectors/python_frames/verify.hpp"

namespace stepscope {
namespace python {
namespace {

enum class State : int { unknown, finding, found, checking, ready, off };

constexpr int kMaxDepth = 256;
constexpr std::uint64_t kKindOnly = ~std::uint64_t{0};

constinit std::atomic<State> state{State::unknown};
constinit std::atomic<bool> compared{false};
constinit Interpreter interpreter{};
constinit SiteCache cache{};

void switch_off(const char* why) noexcept {
  if (state.exchange(State::off, std::memory_order_acq_rel) != State::off) recorder::note(why);
}

// --- first sight ---

recorder::NameId intern_text(Object text) noexcept {
  char utf8[1024];
  return recorder::intern_name(utf8, copy_text(interpreter.layout, text, utf8));
}

// By the file's text object, which all code of the file shares: a few entries that stay in the
// cache.
[[gnu::hot]] SourceKind kind_of(Object code) noexcept {
  const auto file = load<Object>(code, interpreter.layout.code_file);
  const std::uint64_t key = mix(text_identity(interpreter.layout, file), kKindOnly);
  Known known;
  if (cache.find(key, known)) return static_cast<SourceKind>(known.kind);
  char path[1024];
  const std::size_t size = copy_text(interpreter.layout, file, path);
  const SourceKind kind = source_kind({path, size});
  cache.add(key, {0, static_cast<std::uint8_t>(kind)});
  return kind;
}

[[gnu::hot]] recorder::SiteRef site_of(Object frame, Object code) noexcept {
  const Layout& at = interpreter.layout;
  const std::size_t unit = unit_of(at, frame, code);
  const std::uint64_t key = mix(code_identity(at, code), unit);
  Known known;
  if (cache.find(key, known)) return known.site;
  const int line = line_of(at, code, unit);
  if (line == kBadTable) return 0;
  const recorder::NameId file = intern_text(load<Object>(code, at.code_file));
  const recorder::NameId function = intern_text(load<Object>(code, at.code_name));
  const auto site =
      recorder::intern_site(file, line > 0 ? static_cast<std::uint32_t>(line) : 0, function);
  cache.add(key, {site, 0});
  return site;
}

// --- the walk ---

[[gnu::hot]] recorder::SiteRef least_foreign_site(Object frame) noexcept {
  struct {
    Object frame, code;
    SourceKind kind;
  } best{nullptr, nullptr, SourceKind::library};
  for (int depth = 0; frame != nullptr && depth < kMaxDepth; ++depth) {
    if (const Object code = code_of(interpreter.layout, interpreter.code_type, frame)) {
      const SourceKind kind = kind_of(code);
      if (kind == SourceKind::user) return site_of(frame, code);
      if (best.frame == nullptr || kind < best.kind) best = {frame, code, kind};
    }
    frame = previous_frame(interpreter.layout, frame);
  }
  return best.frame == nullptr ? 0 : site_of(best.frame, best.code);
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
  const recorder::SiteRef site = least_foreign_site(frame);
  recorder::count_site_lookup(site != 0);
  return site;
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

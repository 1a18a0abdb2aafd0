// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/startup.hpp"

#include <time.h>
#include <unistd.h>

#include <atomic>

#include "collectors/host_sampler/loop_counts.hpp"
#include "collectors/host_sampler/process_memory.hpp"
#include "collectors/host_sampler/python_state.hpp"
#include "collectors/inject/process_facts.hpp"
#include "collectors/python_frames/python_call_site.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/writer_thread.hpp"
#include "collectors/recorder/process_state.hpp"

namespace stepscope::inject {
namespace {

constexpr std::int64_t kComputes_ns = 20'000'000;
constexpr int kLooksOutside = 2;  // looks in a row that find the thread outside of imports
constexpr long kTick_ns = 10'000'000, kLaterTick_ns = 500'000'000;
constexpr int kTicks = 1000;  // then the later ones: a process that idles is not woken often

constinit std::atomic<bool> is_waiting{false};
constinit std::atomic<std::uint32_t> libraries{0};

// Others record in it, or nothing more will be recorded: there is nothing to wait for.
bool is_settled() noexcept {
  return !recorder::is_armed() || found_a_framework() ||
         recorder::process.phase.load(std::memory_order_acquire) != recorder::Phase::armed;
}

// Whether the main thread is in an import. Where that cannot be read it is in none.
class Imports {
 public:
  bool is_in_one() noexcept {
    if (!memory_.works(reinterpret_cast<host_sampler::Address>(this)) || !python_.is_ready())
      return false;
    thread_ = python_.thread_of(getpid(), thread_);
    return thread_ != 0 && host_sampler::is_importing(memory_, python_.interpreter(), thread_);
  }

 private:
  host_sampler::ProcessMemory memory_{getpid()};
  host_sampler::PythonState python_{memory_};
  host_sampler::Address thread_ = 0;
};

void* wait_for_work(void* /*unused*/) {
  recorder::become_background_thread("stepscope-wait");
  Imports imports;
  std::uint32_t seen = 0;
  std::int64_t begin = 0;
  int outside = 0;
  for (int tick = 0; !is_settled(); ++tick) {
    const std::int64_t now = recorder::clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (const std::uint32_t count = libraries.load(std::memory_order_relaxed); count != seen)
      seen = count, begin = now;
    outside = imports.is_in_one() ? 0 : outside + 1;
    if (now - begin >= kComputes_ns && outside >= kLooksOutside) {
      record_python_version();
      (void)recorder::watch_thread(getpid());
      break;
    }
    const timespec pause{0, tick < kTicks ? kTick_ns : kLaterTick_ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  }
  return nullptr;
}

}  // namespace

void watch_python_program() noexcept {
  if (!samples_threads() || is_settled()) return;
  libraries.fetch_add(1, std::memory_order_relaxed);
  if (is_waiting.load(std::memory_order_relaxed)) return;
  check_python();  // in the interpreter's own thread
  if (python::checked_interpreter() == nullptr || is_waiting.exchange(true)) return;
  (void)recorder::start_background_thread(wait_for_work, nullptr);
}

}  // namespace stepscope::inject

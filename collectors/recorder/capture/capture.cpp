// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture/capture.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

#include "collectors/recorder/capture/step_marks.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/live_files/ring.hpp"
#include "collectors/recorder/process_state.hpp"

namespace stepscope::recorder {

constinit std::atomic<Gate> gate{Gate::none};

namespace {

constexpr int kWait_ms = 200;
// Once a machine was too slow for the first; above what the writer waits for other threads' calls.
constexpr int kLaterWait_ms = 30;
constexpr std::int64_t kMeeting_ns = 100'000'000;

constinit CapturePlan plan{};
constinit NameId trigger_name = 0;  // name of the trigger's range or mark; 0: there is no trigger
constinit StepCount step_count{};
// The begin of counting: the start of the process, then the begin of the capture or its trigger.
constinit std::atomic<std::uint64_t> counted_from_step{0};
constinit std::atomic<std::int64_t> counted_from_ns{0};  // CLOCK_MONOTONIC
constinit std::atomic<bool> begun{false};
constinit std::atomic<bool> triggered{false};
constinit std::atomic<bool> toggle_soon{false};
constinit std::atomic<bool> was_open{false};
constinit std::atomic<int> wait_ms{kWait_ms};
constinit std::atomic<bool> wanted{true};
constinit std::atomic<std::uint64_t> close_ticks{0};
constinit std::atomic<std::uint32_t> settled_times{0};  // bumped where a change is done: a futex
constinit std::atomic<bool> device_on{true};            // the last state of the sources
constinit bool applied = true;                          // the writer's: what the file says
// Threads of the program that wait for a change, and are in no CUDA call; where a change that none
// of them asked for waits for one.
constinit std::atomic<int> waiting{0};
constinit std::atomic<bool> meeting{false};
constinit std::int64_t meeting_since_ns = 0;  // the writer's; CLOCK_MONOTONIC

// The meaning of a name, found once: bit 0 known, 1 step mark, 2 the trigger's range.
enum : std::uint8_t { kKnown = 1, kMark = 2, kRange = 4 };
constinit std::atomic<std::uint8_t> meanings[kMaxNames]{};

std::uint8_t meaning_of(NameId name) noexcept {
  if (name >= kMaxNames) return kKnown;
  std::uint8_t meaning = meanings[name].load(std::memory_order_relaxed);
  if (meaning != 0) return meaning;
  meaning = kKnown;
  if (is_step_mark(name_text(name))) meaning |= kMark;
  if (trigger_name != 0 && name == trigger_name) meaning |= kRange;
  meanings[name].store(meaning, std::memory_order_relaxed);
  return meaning;
}

Passed passed() noexcept {
  const std::int64_t ns = clock_ns(CLOCK_MONOTONIC) - counted_from_ns.load();
  return {step_count.steps() - counted_from_step.load(),
          static_cast<std::uint64_t>(ns / 1'000'000)};
}

void count_from_now() noexcept {
  counted_from_step.store(step_count.steps());
  counted_from_ns.store(clock_ns(CLOCK_MONOTONIC));
}

// Whether the plan wants to record now. A capture that a trigger began and that is over waits for
// the next trigger.
bool wants_now() noexcept {
  if (plan.by_trigger && !triggered.load()) return false;
  if (!begun.load()) {
    if (!has_begun(plan, passed())) return false;
    count_from_now();
    begun.store(true);
  }
  if (!is_over(plan, passed())) return is_in_window(plan, passed());
  if (plan.by_trigger) triggered.store(false);
  return false;
}

void close_gate() noexcept {
  close_ticks.store(read_ticks(process.ticks_are_ns));
  gate.store(Gate::closed, std::memory_order_release);
}

void begin_at_gate() noexcept {
  wanted.store(wants_now());
  was_open.store(wanted.load());
  if (wanted.load()) return gate.store(Gate::open, std::memory_order_release);
  close_gate();
}

// That the capture has begun and where it counts from change together, so one thread at a time
// decides: a thread of the program and the writer may both come to it at the end of a step.
class Decision {
 public:
  Decision() noexcept {
    while (taken.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~Decision() { taken.store(false, std::memory_order_release); }
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

  static constinit std::atomic<bool> taken;
};
constinit std::atomic<bool> Decision::taken{false};

// True where that changes what is wanted.
bool update() noexcept {
  const Decision alone;
  const bool now = wants_now();
  if (wanted.exchange(now) == now) return false;
  if (!now) close_gate();
  return true;
}

bool has_sources() noexcept {
  for (const auto& place : process.sources) {
    const RowSource* source = place.load(std::memory_order_acquire);
    if (source != nullptr && source->follows_capture()) return true;
  }
  return false;
}

bool is_settled() noexcept {
  return wanted.load() ? gate_state() != Gate::closed : !device_on.load();
}

// The writer is woken behind the count, or it would not see that somebody waits.
void wait_until_settled() noexcept {
  const std::int64_t deadline = clock_ns(CLOCK_MONOTONIC) + wait_ms.load() * 1'000'000LL;
  waiting.fetch_add(1);
  wake_writer();
  while (!is_settled()) {
    if (clock_ns(CLOCK_MONOTONIC) >= deadline) {
      wait_ms.store(kLaterWait_ms);
      break;
    }
    const timespec slice{0, 2'000'000};
    const std::uint32_t seen = settled_times.load();
    if (is_settled()) break;
    syscall(SYS_futex, &settled_times, FUTEX_WAIT_PRIVATE, seen, &slice, nullptr, 0);
  }
  waiting.fetch_sub(1);
}

void announce_settled() noexcept {
  settled_times.fetch_add(1);
  syscall(SYS_futex, &settled_times, FUTEX_WAKE_PRIVATE, 1 << 20, nullptr, nullptr, 0);
}

// Brings the gate up to date on a thread of the program. The writer thread comes with the first
// ring.
void update_and_wait() noexcept {
  if (!update()) return;
  const bool opens = wanted.load();
  if (opens && thread_ring == nullptr) (void)attach_thread();
  if (process.phase.load() == Phase::open && (opens || has_sources())) return wait_until_settled();
  wake_writer();
}

[[gnu::cold]] void meet(const RingHeader& ring) noexcept {
  if (ring.lanes[kLaneCall].depth == 0) wait_until_settled();
}

// Whether a change is put off until a thread of the program waits for it, at its next range.
bool waits_for_a_thread() noexcept {
  if (waiting.load() > 0 || !has_sources()) return false;
  const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
  if (!meeting.exchange(true)) meeting_since_ns = now;
  return now - meeting_since_ns < kMeeting_ns;
}

}  // namespace

void plan_capture(const CapturePlan& wanted_plan, const char* range) noexcept {
  if (!wanted_plan.is_set()) return;
  plan = wanted_plan;
  if (range != nullptr) trigger_name = intern_name(range, std::string_view(range).size());
  counted_from_ns.store(clock_ns(CLOCK_MONOTONIC));
  begin_at_gate();
}

void trigger_capture(bool on) noexcept {
  if (!plan.by_trigger || triggered.exchange(on) == on) return;
  if (on) begun.store(false);
  update_and_wait();
}

void toggle_capture_soon() noexcept {
  toggle_soon.store(true);
}

bool passes_gate(RingHeader& ring, std::uint16_t lane, NameId name, SiteRef site) noexcept {
  if (meeting.load(std::memory_order_relaxed)) [[unlikely]]
    meet(ring);
  const std::uint8_t meaning = meaning_of(name);
  MarkState& marks = ring.marks[lane];
  const std::uint32_t depth = ring.lanes[lane].depth;
  if ((meaning & kMark) != 0 && ring.in_step_mark == 0) {
    ring.in_step_mark = 1;
    marks.step_depth = depth;
    marks.key = mark_key(name_text(name), site);
  }
  if ((meaning & kRange) != 0 && marks.range_depth == 0) {
    marks.range_depth = depth;
    trigger_capture(true);
  }
  return gate_state() != Gate::closed || (meaning & kMark) != 0;
}

void after_end(RingHeader& ring, std::uint16_t lane, std::uint32_t depth) noexcept {
  MarkState& marks = ring.marks[lane];
  if (marks.range_depth == depth) {
    marks.range_depth = 0;
    trigger_capture(false);
  }
  if (marks.step_depth != depth) return;
  marks.step_depth = ring.in_step_mark = 0;
  if (step_count.add(marks.key)) update_and_wait();
}

CaptureChange next_capture_change(bool ends) noexcept {
  if (gate_state() == Gate::none) return {};
  if (toggle_soon.exchange(false) && !triggered.exchange(!triggered.load())) begun.store(false);
  (void)update();
  const bool want = wanted.load();
  if (!want && gate_state() == Gate::open) close_gate();  // closed while it was being opened
  const bool closed = gate.load(std::memory_order_acquire) == Gate::closed;
  const CaptureChange change{closed && applied, closed && want, false, close_ticks.load()};
  if ((change.close || change.open) && !ends && waits_for_a_thread()) return {.put_off = true};
  meeting.store(false);
  if (change.close) applied = false;
  return change;
}

void capture_is_open() noexcept {
  applied = true;
  was_open.store(true);
  device_on.store(true);
  gate.store(Gate::open, std::memory_order_release);
  announce_settled();
}

void capture_is_closed() noexcept {
  device_on.store(false);
  announce_settled();
}

const char* unmet_plan() noexcept {
  if (gate_state() == Gate::none || was_open.load()) return nullptr;
  if (plan.by_trigger)
    return "nothing was recorded: what --capture-range or --capture-signal waits for did not come";
  if (step_count.steps() == 0 && plan.after_steps != 0)
    return "nothing was recorded: --start-after waits for steps, and none was seen "
           "(Optimizer.step, ProfilerStep#, a range named like \"step 12\"); give it a time, like "
           "30s";
  return "nothing was recorded: the process ended before --start-after (with --window alone: 20 "
         "steps)";
}

void restart_capture() noexcept {
  if (gate_state() == Gate::none) return;
  Decision::taken.store(false);
  step_count.reset();
  count_from_now();
  begun.store(false);
  triggered.store(false);
  applied = true;
  device_on.store(true);
  meeting.store(false);
  waiting.store(0);
  begin_at_gate();
}

}  // namespace stepscope::recorder

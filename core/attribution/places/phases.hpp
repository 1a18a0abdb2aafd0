// SPDX-License-Identifier: Apache-2.0
// The phase of a host thread at a moment.
//
// A phase is a user range (NVTX, record_function) that is no step marker; nested ranges of the same
// name are one (a harness may emit both kinds), and so are names that differ in numbers
// (phase_families.hpp). What the loop does in every n-th iteration outside of such ranges is a phase
// as well (periodic_lines.hpp). Where no user range is open, PyTorch's own marks
// serve: Optimizer.step and zero_grad -> "optimizer", DataLoader __next__ -> "data", collectives ->
// "comm", autograd nodes -> "backward", and in a run without any user phase, but with a backward
// pass or an optimizer, other ops -> "forward" (the loss, metrics and an evaluation are in it),
// each including the host's way to it from the op before, or from
// the end of a wait for a collective, which belongs to what asked for it. A way of over half a millisecond,
// waits for a core aside, is none: what the program does there is in no mark, so it counts as
// "forward" like other ops. Where ops are not recorded, CUDA calls serve as they. A path is 64 ranges deep at most: what a program opens and never closes would make
// it endless. What runs in an optimizer's closure has its own marks (optimizer_work.hpp). An
// autograd thread is in its caller's phase, with its own ranges inside. Any other thread without a
// range of its own is in a phase named after it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/attribution/host/collective_waits.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/threads.hpp"
#include "core/attribution/places/captures.hpp"
#include "core/attribution/places/optimizer_work.hpp"
#include "core/attribution/places/periodic_lines.hpp"
#include "core/attribution/places/phase_families.hpp"
#include "core/support/name_pattern.hpp"

namespace stepscope {

class PhaseTable {
 public:
  PhaseTable(const Trace& trace, const Steps& steps, const Threads& threads, const ThreadCpu& cpu,
             const CollectiveWaits& waits, const OptimizerWork& optimizer,
             std::optional<NamePattern> only);

  struct Stay {
    PhaseId phase = 0;
    std::int64_t since = 0;  // the thread has been in this phase at least from here on
  };
  Stay at(ThreadId thread, std::int64_t time) const;

  // Returns the phase of work that was captured into a CUDA graph: the phases opened within the
  // capture, else all that were open; 0 where no range was open.
  PhaseId captured(Moment made, std::optional<Moment> capture_begin);
  // That phase inside the user's ranges around a launch of the graph.
  PhaseId inside(Moment launch, PhaseId captured);

  std::vector<Phase> take_phases() { return std::move(phases_); }
  std::vector<PhaseVisit> take_visits() { return std::move(visits_); }

 private:
  struct Start {
    std::int64_t begin;
    PhaseId phase;
  };
  using Timeline = std::vector<Start>;  // sorted; 0 before the first
  struct UserRange {
    Interval time;
    std::string name;
  };
  struct Mark {
    std::int64_t begin, end;
    std::string_view name;  // one of the names listed in phases.cpp
  };

  PhaseId intern(PhaseId parent, const std::string& name);
  PhaseId graft(PhaseId parent, PhaseId own);
  void graft_worker(ThreadId worker);
  PhaseId below(PhaseId phase, PhaseId base);
  Stay user_at(ThreadId thread, std::int64_t time) const;
  PhaseId said_at(Moment moment) const;
  bool is_phase(RangeId range);
  bool names_phase(const std::string& name) const;
  std::vector<UserRange> user_ranges(ThreadId thread);
  void add_periodic(const std::vector<PeriodicStretch>& stretches, std::vector<UserRange>& ranges);
  Timeline user_timeline(const std::vector<UserRange>& ranges);
  Timeline mark_timeline(ThreadId thread);
  std::int64_t way_begin(ThreadId thread, Interval gap) const;
  bool is_way(ThreadId thread, Interval time) const;
  std::string_view mark_name(RangeId range);
  std::vector<Mark> outermost_marks(ThreadId thread);
  static Stay at(const Timeline& timeline, std::int64_t time);
  static std::int64_t next_start(const Timeline& timeline, std::int64_t time);

  const Trace& trace_;
  const Threads& threads_;
  const ThreadCpu& cpu_;
  const CollectiveWaits& waits_;
  std::optional<NamePattern> only_;
  const OptimizerWork& optimizer_;
  PhaseFamilies families_;
  std::vector<Phase> phases_{Phase{}};
  std::vector<PhaseVisit> visits_;           // by thread
  std::vector<std::size_t> first_visit_{0};  // a thread, and behind the last
  std::map<std::pair<PhaseId, std::string>, PhaseId> ids_;
  std::vector<Timeline> user_;        // a thread
  std::vector<Timeline> marks_;       // a thread
  std::vector<PhaseId> thread_name_;  // a thread: the phase named after it, 0 for the loop's own
  std::map<std::pair<PhaseId, PhaseId>, PhaseId> grafted_;  // (caller's, worker's own) -> path
  std::unordered_map<StringId, bool> names_that_are_phases_;
  std::vector<std::optional<std::string_view>> torch_marks_;  // a string id: torch_mark() of it
};

}  // namespace stepscope

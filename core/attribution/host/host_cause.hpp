// SPDX-License-Identifier: Apache-2.0
// Who owns a piece of a host thread's time: the cause read off the innermost range and what
// encloses it. Calls that wait for the device are not decided here (walk/call_time.hpp): their
// waiting is an edge, not a cause.
#pragma once

#include <vector>

#include "core/attribution/cause.hpp"
#include "core/attribution/host/silences.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/threads.hpp"
#include "core/attribution/places/optimizer_work.hpp"

namespace stepscope {

class HostCauses {
 public:
  HostCauses(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
             const OptimizerWork& optimizer);

  // `piece` is one of threads.work(thread)'s.
  Cause of(ThreadId thread, const Piece& piece) const;
  // Returns how the thread spent a silence that is host_other, by its clocks; nothing where they do
  // not cover it. At which moment within the silence it did what is not known.
  std::optional<ThreadCpu::Use> use_in(ThreadId thread, const Piece& piece) const;
  // Refines `by_records`, the result of of(), for the part of `piece` that `sample` represents
  // (silences.hpp).
  Cause sampled(Cause by_records, const Piece& piece, std::uint32_t sample,
                ThreadState state) const;
  // Returns what the thread of a sample that is host.off_cpu slept in.
  AsleepIn asleep_in(std::uint32_t sample) const;

  // A Python-level wait for another thread or process.
  bool is_lock(RangeId range) const;

 private:
  Cause of_gap(ThreadId thread, const Piece& piece) const;
  Cause of_silence(ThreadId thread, Interval time) const;
  Cause of_op(RangeId op) const;
  Cause of_python(RangeId frame) const;
  Cause in_loader(const Piece& piece) const;
  bool is_operation(RangeId range) const;
  bool inside(std::uint16_t kinds, RangeId range) const { return (enclosing_[range] & kinds) != 0; }
  void inherit_kinds();
  void find_api_calls();

  const Trace& trace_;
  const Threads& threads_;
  std::vector<HostTimeline> annotations_;
  const ThreadCpu& cpu_;
  const OptimizerWork& optimizer_;
  std::vector<Cause> op_class_;           // a string id: class of an op of that name
  std::vector<std::uint16_t> name_kind_;  // a string id: what a range of that name means
  std::vector<std::uint16_t>
      enclosing_;                     // a range: kinds of its own name and of all ranges around it
  std::vector<bool> holds_api_call_;  // a range: one begins in it, on its thread
};

// The cause of a range of HostKind::overhead, by its name.
Cause cause_of_overhead(std::string_view name);

// The cause of an API call's own time, given that it waits for nothing.
Cause cause_of_api(ApiKind api);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// One host thread's part of a step as tasks: its API calls, and the work between them.
//
// A thread that waits for another's work has no work of its own there:
//   the loop's thread  for a burst of autograd nodes: a task that begins where the burst ends
//   an engine's thread begins its burst where the loop's thread handed over
//   any other thread   that sleeps (nothing recorded, or a lock) goes on where the loop's thread is
// A take from a loader with workers, and a wait at a lock, is a wait for a producer that works
// beside the loop (production.hpp).
#pragma once

#include <map>
#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

// A stretch of autograd nodes for which the loop's thread waited.
struct Burst {
  std::uint32_t thread = 0;  // dense number of the engine's thread
  Interval time;
};

class HostTasks {
 public:
  // `numbers`: dense thread numbers; the loop's is 0.
  HostTasks(const ProcessIndex& index, const LoaderTakes& takes,
            const std::map<ThreadId, std::uint32_t>& numbers);

  // Appends the tasks of all threads within a step's host time, in the order of their begins.
  void append(Interval time, std::uint32_t step, std::vector<HostTask>& out);

  // Loaders by their numbers, then locks.
  std::uint32_t producers() const {
    return takes_.loaders() + static_cast<std::uint32_t>(locks_.size());
  }

 private:
  void thread_tasks(ThreadId thread, Interval time);
  std::int64_t add_call(ThreadId thread, RangeId call);
  void add_work(ThreadId thread, const Piece& piece, Interval time);
  void add_loop_work(ThreadId thread, const Piece& piece, Interval time);
  std::uint32_t producer_of(const Piece& piece);
  HostTask task_at(ThreadId thread, Interval time, RangeId range) const;
  RangeId call_around(RangeId range, std::int64_t time) const;
  bool loop_calls_in(Interval time) const;
  bool sleeps(ThreadId thread, const Piece& piece) const;
  bool waits_for_producer(ThreadId thread, const Piece& piece, Cause cause) const;
  bool is_read(RangeId range) const;
  SiteId line_of(ThreadId thread, const Piece& piece, const HostTask& task) const;
  void push(HostTask task);
  void charge_gaps_to_next_call();

  const ProcessIndex& index_;
  const LoaderTakes& takes_;
  const Trace& trace_;
  const std::map<ThreadId, std::uint32_t>& numbers_;
  std::vector<StringId> read_ops_;           // names
  std::vector<RangeId> outermost_call_;      // by range: the API call that holds it, or is it
  std::vector<RangeId> made_in_;             // by range: the forward op of the node around it
  std::map<StringId, std::uint32_t> locks_;  // by the name of the range that waits
  std::vector<HostTask> tasks_;              // tasks of the current step
  std::vector<Burst> bursts_;
  std::uint32_t step_ = 0;
  bool is_worker_ = false;  // the thread whose tasks are pushed is a worker
  bool resumes_ = false;    // the next task of this thread follows another thread
};

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// The loops of a thread's Python code as a tree, with every iteration that a record was seen in.
//
// A loop is identified by its line, the line that called its function, and the loop around it: the
// loop over batches that is called for training is another than the same one called for validation.
// An iteration begins with the first record in it and ends with its last one before the loop comes
// round; Python alone between two is the later one's. The last iteration of an outermost loop goes on
// as long as samples are at lines that earlier ones ran. A request to the iterator that was the
// loop's end is in none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/steps/activity.hpp"

namespace stepscope {

struct NestIteration {
  Interval time;
  std::uint32_t visit = 0;  // iterations of one entry into the loop share it
  Interval own;             // without what outer loops do behind it; set by iterations_of()
};

struct NestLoop {
  SiteId at = kNone;
  SiteId caller = kNone;                  // kNone: its function is also that of the loop around it
  std::uint32_t around = kNone;           // which stands before it in the list
  std::vector<NestIteration> iterations;  // in order of time
  std::vector<Interval> last_requests;    // to the iterator, which were the loop's end
  std::uint32_t visits = 0;

  // The iteration at that time; kNone where there is none.
  std::uint32_t iteration_at(std::int64_t time) const;
};

struct LoopNest {
  std::vector<NestLoop> loops;

  bool is_inside(std::uint32_t loop, std::uint32_t outer) const;
};

// The process's thread of which most was noted; kNone: no loops were.
ThreadId thread_of_loops(const Activity& activity);

// Builds the nest of the iterations that begin within the activity's time.
LoopNest loop_nest_of(const Activity& activity, ThreadId thread);

// The iterations of those loops in order of time. What an outer loop does behind the last one of a
// visit belongs to it (an evaluation at the end of an epoch), and so on outwards.
std::vector<NestIteration> iterations_of(const LoopNest& nest,
                                         const std::vector<std::uint32_t>& loops);

std::string name_of(const Trace& trace, const NestLoop& loop);  // "train.py:12 (main)"

}  // namespace stepscope

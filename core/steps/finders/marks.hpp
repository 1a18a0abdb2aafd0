// SPDX-License-Identifier: Apache-2.0
// From annotation ranges that may mark steps to the steps of one thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/steps/finders/finders.hpp"

namespace stepscope {

struct MarkedThread {
  ThreadId thread = 0;
  std::vector<RangeId> ranges;
  std::size_t left_out_threads = 0;  // others that carry such marks, too
  std::size_t crossing = 0;          // crossing marks of this thread, which are left out
};

bool is_profiler_step(std::string_view name);   // a mark of torch.profiler
bool is_optimizer_step(std::string_view name);  // the scope of an optimizer's step()
// A call of `next` on an iterator of PyTorch's DataLoader.
bool is_loader_fetch(std::string_view name);
std::vector<RangeId> loader_fetches(const Activity& activity, ThreadId thread);

// Groups by thread, takes the outermost of each and returns the thread with the most time inside
// marks, which counts twice on the main thread: of two threads that train alike it is the one.
MarkedThread choose_thread(const Activity& activity, std::span<const RangeId> ranges);

// Disjoint: where two overlap the later one begins with the earlier one's end.
std::vector<Interval> times_of(const Activity& activity, std::span<const RangeId> ranges);

// The names are numbered, and each number is higher than the one before.
bool numbers_rise(const Activity& activity, std::span<const RangeId> ranges);

// Steps from marks; ids are the numbers in the names where those rise throughout, else 0, 1, 2, ...
// Numbers of PyTorch's profiler that begin again are another session's: one id is left out there.
// A mark that outlasts the begin of the next one ends there.
std::vector<HostStep> steps_of(const Activity& activity, std::span<const RangeId> ranges);

// The loop of which they are the steps, without a confidence. Notes say how many crossed, and if they
// outlast the begin of the next one by much: where the last one's step ends is not known then.
Loop loop_of(const Activity& activity, const MarkedThread& marks, FoundBy found_by,
             std::string how);

// Whether they divide the work: two marks behind a loop, of which the first holds it all, do not, nor
// do three of which two hold nothing. Work between two marks is the later one's.
bool divide_work(const Activity& activity, std::span<const HostStep> steps);

std::string thread_text(const Trace& trace, ThreadId thread);  // "thread 1708", "thread 12 (main)"

}  // namespace stepscope

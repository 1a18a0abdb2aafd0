// SPDX-License-Identifier: Apache-2.0
#include "core/steps/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

// The iteration that a loop was left in. A generator's loop goes on there when it is resumed.
struct Left {
  std::int64_t iteration = 0;
  bool was_resumed = false;
};

struct Open {  // a loop that the thread is in
  std::uint32_t loop = 0;
  std::int64_t iteration = 0;
  std::int64_t before = -1;  // the iteration in front of it, of the same visit; -1: none
  bool at_head = false;
};

class Builder {
 public:
  Builder(const Activity& activity, ThreadId thread)
      : trace_(*activity.trace),
        rows_(trace_.data().loop_positions),
        end_(activity.host.end),
        thread_(thread) {}

  LoopNest build(Interval within) {
    const auto [first, last] = std::equal_range(rows_.thread.begin(), rows_.thread.end(), thread_);
    const auto end = static_cast<std::size_t>(last - rows_.thread.begin());
    for (auto row = static_cast<std::size_t>(first - rows_.thread.begin()); row < end; ++row)
      take(row);
    if (end > 0 && !open_.empty()) end_ = std::min(end_, end_of_program(rows_.time[end - 1]));
    close(0, std::min(end_, within.end));
    for (std::uint32_t loop = 0; loop < nest_.loops.size(); ++loop) join_resumed(loop);
    for (NestLoop& loop : nest_.loops) clip(loop, within);
    return std::move(nest_);
  }

 private:
  // Returns when the thread's last records begin that no line of Python made and whose like no iteration
  // made without one, where it was in a loop to the end: then the program has left the loop and ends. What
  // that takes (the workers of a loader may take seconds to end) is no part of the last iteration.
  std::int64_t end_of_program(std::int64_t last_row) const {
    const HostRanges& h = trace_.host_ranges();
    const Rows rows = trace_.ranges_of(thread_);
    std::set<StringId> without_line;
    for (RangeId r = rows.begin; r < rows.end && h.begin[r] <= last_row; ++r)
      if (h.site[r] == kNone) without_line.insert(h.name[r]);
    std::int64_t out = end_;
    for (RangeId r = rows.end; r > rows.begin && h.begin[r - 1] > last_row; --r) {
      if (h.site[r - 1] != kNone || without_line.contains(h.name[r - 1])) break;
      out = h.begin[r - 1];
    }
    return out;
  }

  void take(std::size_t row) {
    const std::size_t depth = rows_.depth[row];
    const std::uint8_t flags = rows_.flags[row];
    const bool left = (flags & kLoopLeft) != 0 || rows_.loop[row] == kNone;
    if (depth > open_.size()) return;  // the row of the loop around it was lost
    const bool goes_on = !left && depth < open_.size() && (flags & kLoopEntered) == 0 &&
                         nest_.loops[open_[depth].loop].at == rows_.loop[row];
    close(goes_on ? depth + 1 : depth, rows_.time[row]);
    if (left) return;
    if (!goes_on) enter(row);
    begin(row, goes_on);
  }

  void enter(std::size_t row) {
    const std::uint32_t around = open_.empty() ? kNone : open_.back().loop;
    const auto known = std::find_if(nest_.loops.begin(), nest_.loops.end(), [&](const NestLoop& l) {
      return l.at == rows_.loop[row] && l.caller == rows_.caller[row] && l.around == around;
    });
    const auto loop = static_cast<std::uint32_t>(known - nest_.loops.begin());
    if (known == nest_.loops.end()) {
      nest_.loops.push_back({.at = rows_.loop[row], .caller = rows_.caller[row], .around = around});
      left_.emplace_back();
      numbers_.emplace_back();
    }
    Left& left = left_[loop];
    const bool resumes = rows_.iteration[row] > 1 && rows_.iteration[row] == left.iteration;
    left.was_resumed = left.was_resumed || resumes;
    ++nest_.loops[loop].visits;
    open_.push_back({.loop = loop});
  }

  // The iterations that a generator's loop had in several resumptions are one each.
  void join_resumed(std::uint32_t loop) {
    if (!left_[loop].was_resumed) return;
    std::vector<NestIteration> joined;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < nest_.loops[loop].iterations.size(); ++i) {
      const NestIteration& one = nest_.loops[loop].iterations[i];
      if (std::exchange(last, numbers_[loop][i]) == numbers_[loop][i] && !joined.empty())
        joined.back().time.end = one.time.end;
      else
        joined.push_back(one);
    }
    nest_.loops[loop].iterations = std::move(joined);
  }

  // At its head a loop may have counted the next iteration already, while it lets the last one's
  // item go: the row behind says one less then, and both heads were of the same iteration.
  void begin(std::size_t row, bool goes_on) {
    Open& open = open_.back();
    NestLoop& loop = nest_.loops[open.loop];
    const std::int64_t iteration = rows_.iteration[row];
    const bool was_early = goes_on && open.at_head && iteration == open.iteration - 1;
    if (was_early) {
      if (open.before == iteration) loop.iterations.pop_back(), numbers_[open.loop].pop_back();
    } else if (!goes_on || iteration != open.iteration) {
      if (goes_on) end_last(loop, rows_.time[row]);
      loop.iterations.push_back({{rows_.time[row], rows_.time[row]}, loop.visits});
      numbers_[open.loop].push_back(iteration);
      open.before = goes_on ? open.iteration : -1;
    }
    open.iteration = iteration;
    open.at_head = (rows_.flags[row] & kLoopAtHead) != 0;
  }

  // The thread leaves all loops from that depth on.
  void close(std::size_t depth, std::int64_t time) {
    while (open_.size() > depth) {
      NestLoop& loop = nest_.loops[open_.back().loop];
      if (open_.back().at_head) {
        loop.last_requests.push_back({loop.iterations.back().time.begin, time});
        loop.iterations.pop_back();  // it never came
        numbers_[open_.back().loop].pop_back();
      } else {
        end_last(loop, time);
      }
      left_[open_.back().loop].iteration = open_.back().iteration;
      open_.pop_back();
    }
  }

  void end_last(NestLoop& loop, std::int64_t until) {
    Interval& last = loop.iterations.back().time;
    last.end =
        std::min(last_end_of(trace_, thread_, {last.begin, until}), std::max(last.begin, until));
  }

  void clip(NestLoop& loop, Interval within) const {
    std::erase_if(loop.iterations, [&](const NestIteration& one) {
      return one.time.end <= within.begin || one.time.begin >= within.end;
    });
    if (loop.iterations.empty()) return;
    Interval& first = loop.iterations.front().time;
    first.begin = std::max(first.begin, within.begin);
    Interval& last = loop.iterations.back().time;
    last.end = std::min(last.end, end_);
  }

  const Trace& trace_;
  const LoopPositions& rows_;
  std::int64_t end_;
  ThreadId thread_;
  LoopNest nest_;
  std::vector<Open> open_;                          // outermost first
  std::vector<Left> left_;                          // by loop
  std::vector<std::vector<std::int64_t>> numbers_;  // by loop, of its iterations
};

bool ends_a_visit(const NestLoop& loop, std::size_t iteration) {
  const std::size_t next = iteration + 1;
  return next == loop.iterations.size() ||
         loop.iterations[next].visit != loop.iterations[iteration].visit;
}

std::int64_t end_of(const LoopNest& nest, std::uint32_t loop, std::size_t iteration) {
  const NestLoop& own = nest.loops[loop];
  const Interval time = own.iterations[iteration].time;
  if (own.around == kNone || !ends_a_visit(own, iteration)) return time.end;
  const std::uint32_t outer = nest.loops[own.around].iteration_at(time.begin);
  return outer == kNone ? time.end : std::max(time.end, end_of(nest, own.around, outer));
}

}  // namespace

ThreadId thread_of_loops(const Activity& activity) {
  const std::vector<ThreadId>& rows = activity.trace->data().loop_positions.thread;
  std::map<ThreadId, std::size_t> count;
  for (const ThreadId thread : rows)
    if (activity.trace->data().threads[thread].process == activity.process) ++count[thread];
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? kNone : most->first;
}

std::vector<NestIteration> iterations_of(const LoopNest& nest,
                                         const std::vector<std::uint32_t>& loops) {
  std::vector<NestIteration> out;
  std::uint32_t visits = 0;
  for (const std::uint32_t loop : loops) {
    for (std::size_t i = 0; i < nest.loops[loop].iterations.size(); ++i) {
      out.push_back(nest.loops[loop].iterations[i]);
      out.back().own = out.back().time;
      out.back().time.end = end_of(nest, loop, i);
      out.back().visit += visits;
    }
    visits += nest.loops[loop].visits;
  }
  std::sort(out.begin(), out.end(), [](const NestIteration& a, const NestIteration& b) {
    return a.time.begin < b.time.begin;
  });
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i - 1].time.end = std::min(out[i - 1].time.end, out[i].time.begin);
  return out;
}

std::uint32_t NestLoop::iteration_at(std::int64_t time) const {
  auto next =
      std::upper_bound(iterations.begin(), iterations.end(), time,
                       [](std::int64_t t, const NestIteration& i) { return t < i.time.begin; });
  if (next == iterations.begin()) return kNone;
  --next;
  return time < next->time.end ? static_cast<std::uint32_t>(next - iterations.begin()) : kNone;
}

bool LoopNest::is_inside(std::uint32_t loop, std::uint32_t outer) const {
  while (loop != kNone && loop != outer) loop = loops[loop].around;
  return loop == outer;
}

LoopNest loop_nest_of(const Activity& activity, ThreadId thread) {
  const Interval within{activity.host.begin, activity.host.end + 1};
  return Builder(activity, thread).build(within);
}

std::string name_of(const Trace& trace, const NestLoop& loop) {
  const Site& site = trace.data().sites[loop.at];
  return fmt::format("{}:{} ({})", short_file(trace.text(site.file)), site.line,
                     trace.text(site.function));
}

}  // namespace stepscope

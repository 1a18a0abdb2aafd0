// SPDX-License-Identifier: Apache-2.0
#include "core/findings/backward_passes.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attribution/process_index.hpp"

namespace stepscope::rules {
namespace {

// How many earlier passes a pass is compared with: those of a step are few.
constexpr std::size_t kMostPassesBack = 64;

using NodeNumber = std::uint64_t;  // the forward thread and its number of the node

struct BackwardPass {
  Interval time;
  std::vector<RangeId> nodes;       // those with numbers
  std::vector<NodeNumber> numbers;  // theirs, falling
  std::vector<std::int64_t> ends;   // when the next node of the pass begins, or the last one ends
  bool accumulates = false;

  bool runs(NodeNumber number) const {
    return std::ranges::binary_search(numbers, number, std::greater<>());
  }
};

class PassesOfThread {
 public:
  PassesOfThread(const JudgedRun& run, ThreadId thread)
      : run_(run), h_(run.trace.host_ranges()), thread_(thread) {
    const Rows rows = run.trace.ranges_of(thread);
    std::int64_t outermost_until = 0;
    for (RangeId r = rows.begin; r < rows.end; ++r) {
      if (h_.kind[r] != HostKind::backward_node || h_.begin[r] < outermost_until) continue;
      outermost_until = h_.end[r];
      add(r);
    }
  }

  BackwardAgain again(Mergeable kind, const std::vector<std::int64_t>& optimizer_steps) const {
    BackwardAgain out;
    for (std::size_t p = 0; p < passes_.size(); ++p)
      add_again(passes_[p], mergeable(p, kind, optimizer_steps), out);
    return out;
  }

 private:
  void add(RangeId node) {
    if (h_.sequence[node] != kNoSequence)
      add_numbered(node);
    else if (run_.trace.text(h_.name[node]).ends_with("AccumulateGrad"))
      accumulate(node);
    else
      is_open_ = false;
  }

  void add_numbered(RangeId node) {
    const NodeNumber number =
        (static_cast<NodeNumber>(h_.forward_thread[node]) << 32U) | h_.sequence[node];
    const bool goes_on = !passes_.empty() && number < passes_.back().numbers.back();
    if (!goes_on) passes_.push_back({.time = {h_.begin[node], h_.end[node]}});
    BackwardPass& pass = passes_.back();
    if (goes_on && is_open_) pass.ends.back() = h_.begin[node];
    pass.time.end = h_.end[node];
    pass.nodes.push_back(node);
    pass.numbers.push_back(number);
    pass.ends.push_back(h_.end[node]);
    is_open_ = true;
  }

  void accumulate(RangeId node) {
    if (!is_open_) return;
    BackwardPass& pass = passes_.back();
    pass.accumulates = true;
    pass.time.end = pass.ends.back() = h_.end[node];
  }

  // Returns the moment in which the forward work began that made a node; nothing where another thread
  // did it, or the trace does not hold it.
  std::optional<std::int64_t> made_at(RangeId node) const {
    const RangeId maker = run_.attribution.index->sites.made_in(node);
    if (maker == kNone || h_.thread[maker] != thread_) return std::nullopt;
    return h_.begin[maker];
  }

  // Returns how many steps the host has begun until then.
  std::ptrdiff_t step_at(std::int64_t time) const {
    const auto behind = std::ranges::upper_bound(run_.steps.list, time, {},
                                                 [](const Step& step) { return step.host.begin; });
    return behind - run_.steps.list.begin();
  }

  bool is_counted(const BackwardPass& pass) const {
    const std::ptrdiff_t begun = step_at(pass.time.begin);
    return begun > 0 &&
           std::ranges::binary_search(run_.summary.counted, static_cast<std::uint32_t>(begun - 1));
  }

  std::set<std::size_t> mergeable(std::size_t p, Mergeable kind,
                                  const std::vector<std::int64_t>& optimizer_steps) const {
    const BackwardPass& pass = passes_[p];
    std::set<std::size_t> out;
    if (pass.accumulates != (kind == Mergeable::sums)) return out;
    const std::set<std::size_t> needed = made_in_passes(pass);
    for (std::size_t q = p; q-- > 0 && p - q <= kMostPassesBack;) {
      const BackwardPass& earlier = passes_[q];
      if (step_at(earlier.time.begin) != step_at(pass.time.begin)) break;
      const auto stepped = std::ranges::lower_bound(optimizer_steps, earlier.time.end);
      if (stepped != optimizer_steps.end() && *stepped < pass.time.begin) break;
      if (needed.contains(q) || earlier.accumulates != pass.accumulates) continue;
      if (earlier.numbers.front() < pass.numbers.back()) continue;  // another forward pass's
      if (kind == Mergeable::sums || runs_the_same(earlier, pass)) out.insert(q);
    }
    return out;
  }

  // Returns the passes in which nodes of this one were made.
  std::set<std::size_t> made_in_passes(const BackwardPass& pass) const {
    std::set<std::size_t> out;
    for (const RangeId node : pass.nodes) {
      const std::optional<std::int64_t> made = made_at(node);
      if (!made) continue;
      const auto behind = std::ranges::upper_bound(
          passes_, *made, {}, [](const BackwardPass& one) { return one.time.begin; });
      if (behind != passes_.begin() && *made < (behind - 1)->time.end)
        out.insert(static_cast<std::size_t>(behind - 1 - passes_.begin()));
    }
    return out;
  }

  // The sum that makes a scalar of an output is a node of its own for each pass.
  std::size_t first_shared(const BackwardPass& pass) const {
    return run_.trace.text(h_.name[pass.nodes.front()]).find("SumBackward") ==
                   std::string_view::npos
               ? 0
               : 1;
  }

  bool runs_the_same(const BackwardPass& a, const BackwardPass& b) const {
    const auto numbers = [this](const BackwardPass& pass) {
      return std::span(pass.numbers).subspan(first_shared(pass));
    };
    return !numbers(a).empty() && std::ranges::equal(numbers(a), numbers(b));
  }

  void add_again(const BackwardPass& pass, const std::set<std::size_t>& with,
                 BackwardAgain& out) const {
    bool any = false;
    for (std::size_t i = 0; i < pass.nodes.size(); ++i) {
      const bool ran = std::ranges::any_of(
          with, [&](std::size_t q) { return passes_[q].runs(pass.numbers[i]); });
      const std::optional<std::int64_t> made = made_at(pass.nodes[i]);
      if (!ran && !(made && contains(out.times, *made))) continue;
      out.times.push_back({h_.begin[pass.nodes[i]], pass.ends[i]});
      any = any || ran;
    }
    if (!any || !is_counted(pass)) return;
    ++out.passes;
    const SiteId caller = run_.sites[pass.nodes.front()];
    if (caller != kNone) out.callers.insert(caller);
  }

  const JudgedRun& run_;
  const HostRanges& h_;
  ThreadId thread_;
  std::vector<BackwardPass> passes_;  // in time order
  bool is_open_ = false;              // the last node was one of the last pass
};

std::vector<std::int64_t> optimizer_steps_of(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  std::vector<std::int64_t> out;
  for (RangeId r = rows.begin; r < rows.end; ++r)
    if (run.attribution.index->optimizer.is_scope(r)) out.push_back(h.begin[r]);
  return out;
}

void append(BackwardAgain of_thread, BackwardAgain& out) {
  out.times.insert(out.times.end(), of_thread.times.begin(), of_thread.times.end());
  out.passes += of_thread.passes;
  out.callers.merge(of_thread.callers);
}

}  // namespace

std::array<BackwardAgain, kMergeableKinds> backward_again(const JudgedRun& run) {
  std::array<BackwardAgain, kMergeableKinds> out;
  const std::vector<std::int64_t> optimizer_steps = optimizer_steps_of(run);
  for (ThreadId thread = 0; thread < run.trace.data().threads.size(); ++thread) {
    if (run.trace.data().threads[thread].process != run.steps.process) continue;
    const PassesOfThread passes(run, thread);
    for (const Mergeable kind : {Mergeable::sums, Mergeable::inputs})
      append(passes.again(kind, optimizer_steps), out[static_cast<std::size_t>(kind)]);
  }
  for (BackwardAgain& again : out) again.times = unite(std::move(again.times));
  return out;
}

}  // namespace stepscope::rules

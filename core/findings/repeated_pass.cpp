// SPDX-License-Identifier: Apache-2.0
#include "core/findings/repeated_pass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "core/findings/host_operations.hpp"
#include "core/findings/passes.hpp"

namespace stepscope::rules {
namespace {

constexpr std::size_t kLeastTimes = 4, kLeastTimesOfALoop = 8, kLeastTimesWithoutWeights = 32;
constexpr std::int64_t kLongOperationNs = 100'000;
constexpr double kLeastOfTheStep = 0.1;    // share that the passes take
constexpr double kNestedSavesLeast = 0.5;  // share of what the chosen one saves
constexpr double kUnnotedCounts = 0.8;     // share of what passes save that only operations show
constexpr std::array<std::string_view, 13> kWithWeights = {
    "aten::linear",     "aten::conv1d",     "aten::conv2d",     "aten::conv3d",   "aten::embedding",
    "aten::layer_norm", "aten::batch_norm", "aten::group_norm", "aten::bilinear", "aten::mm",
    "aten::matmul",     "aten::addmm",      "aten::einsum"};

bool is_short(const StepOperations& step, const PassStretch& stretch) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = stretch.begins.front(); i < stretch.end; ++i)
    lengths.push_back(step.outermost[i].time.length());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle < kLongOperationNs;
}

std::size_t with_weights(const JudgedRun& run, const StepOperations& step,
                         const std::vector<bool>& trained, const PassStretch& stretch) {
  std::size_t out = 0;
  for (std::size_t i = stretch.begins.front(); i < stretch.end; ++i) {
    const PassOperation& one = step.outermost[i];
    const bool has =
        std::ranges::find(kWithWeights, run.trace.text(one.name)) != kWithWeights.end();
    out += has && trained[one.site] ? 1U : 0U;
  }
  return out;
}

bool any_in(const std::vector<std::int64_t>& times, Interval within) {
  const auto at = std::ranges::lower_bound(times, within.begin);
  return at != times.end() && *at < within.end;
}

// Whether gradients are summed in each pass or behind it.
bool gradients_are_summed_in_each(const StepOperations& step, const PassStretch& stretch) {
  for (std::size_t pass = 1; pass < stretch.times(); ++pass)
    if (!any_in(step.sums, {step.outermost[stretch.begins[pass - 1]].time.begin,
                            step.outermost[stretch.begins[pass]].time.begin}))
      return false;
  return true;
}

// The lines that own time of the loop's thread within it.
std::set<SiteId> sites_in(const JudgedRun& run, Interval time) {
  std::set<SiteId> out;
  for (const Segment& s : run.segments())
    if (s.site != kNone && !intersect(s.time, time).empty()) out.insert(s.site);
  return out;
}

// The lines of the stretches' operations; of micro-batches those of their backward pass, too.
std::set<SiteId> sites_of(const JudgedRun& run, const StepOperations& step, const Passes& passes,
                          bool is_micro_batch) {
  std::set<SiteId> out;
  for (const PassStretch& one : passes.stretches) {
    for (std::size_t i = one.begins.front(); i < one.end; ++i) out.insert(step.outermost[i].site);
    if (!is_micro_batch) continue;
    out.merge(sites_in(
        run, {step.outermost[one.begins[0]].time.begin, step.outermost[one.begins[1]].time.begin}));
  }
  return out;
}

// Returns the time at the pass's lines in counted steps, without their backward pass.
double forward_ns(const JudgedRun& run, const RepeatedPass& pass) {
  std::int64_t out = 0;
  for (const Segment& s : run.segments())
    if (s.direction != Direction::backward && pass.share_of(s) > 0 && run.counts(s.time.begin))
      out += s.time.length();
  return static_cast<double>(out);
}

double takes_ns(const StepOperations& step, const Passes& passes) {
  double out = 0;
  for (const PassStretch& one : passes.stretches)
    out += static_cast<double>(step.outermost[one.end - 1].time.end -
                               step.outermost[one.begins.front()].time.begin);
  return out;
}

// Whether the passes are layers of a model. `weights`: operations with weights in the longest stretch.
bool are_layers(const StepOperations& step, std::size_t weights, const PassStretch& longest,
                std::size_t times) {
  if (weights == 0) return false;
  return step.sums.empty() || 2 * step.sums.size() * longest.times() >= weights * times;
}

// Cuts the stretches where the optimizer works between two passes, and keeps what is still long enough.
void cut_at_updates(const StepOperations& step, Passes& passes) {
  std::vector<PassStretch> out;
  for (const PassStretch& one : passes.stretches) {
    out.push_back({.begins = {one.begins.front()}, .end = one.end});
    for (std::size_t pass = 1; pass < one.times(); ++pass) {
      const Interval between{step.outermost[one.begins[pass - 1]].time.begin,
                             step.outermost[one.begins[pass]].time.begin};
      if (any_in(step.updates, between)) {
        out.back().end = one.begins[pass];
        out.push_back({.end = one.end});
      }
      out.back().begins.push_back(one.begins[pass]);
    }
  }
  std::erase_if(out, [](const PassStretch& one) { return one.times() < kLeastTimes; });
  passes.stretches = std::move(out);
}

std::optional<RepeatedPass> judge(const JudgedRun& run, const StepOperations& step, Passes passes) {
  cut_at_updates(step, passes);
  if (passes.stretches.empty()) return std::nullopt;
  const PassStretch longest = *std::ranges::max_element(passes.stretches, {}, &PassStretch::times);
  const std::size_t weights = with_weights(run, step, compiled_sites(run), longest);
  const std::size_t least = weights > 0            ? kLeastTimes
                            : passes.loop != kNone ? kLeastTimesOfALoop
                                                   : kLeastTimesWithoutWeights;
  const bool micro = gradients_are_summed_in_each(step, longest);
  if (micro)
    passes.stretches = {longest};
  else
    std::erase_if(passes.stretches, [&](const PassStretch& one) { return one.times() < least; });
  std::size_t times = 0, operations = 0;
  for (const PassStretch& one : passes.stretches) times += one.times(), operations += one.items();
  if (times == 0 || !is_short(step, longest)) return std::nullopt;
  const bool may_be_layers = weights > 0 && step.sums.empty() && step.updates.empty();
  if (!micro && !may_be_layers && are_layers(step, weights, longest, times)) return std::nullopt;
  const std::set<SiteId> sites = sites_of(run, step, passes, micro);
  return RepeatedPass{.loop = passes.loop,
                      .times = times,
                      .in_a_row = longest.times(),
                      .operations = (operations + times / 2) / times,
                      .has_weights = weights > 0,
                      .may_be_layers = may_be_layers,
                      .is_micro_batch = micro,
                      .sites = {sites.begin(), sites.end()},
                      .takes_ns = takes_ns(step, passes),
                      .span = {step.outermost[passes.stretches.front().begins.front()].time.begin,
                               step.outermost[passes.stretches.back().end - 1].time.end}};
}

// Returns how often the pass runs in each step, and how long.
std::vector<PassesInStep> passes_by_step(const JudgedRun& run, std::uint32_t row,
                                         const RepeatedPass& pass) {
  if (pass.loop != kNone) {
    std::vector<PassesInStep> out = loop_by_step(run, pass.loop);
    if (out[row].ns > 0) return out;
  }
  return repeats_by_step(run, pass.sites, row, pass.times, kLeastTimes);
}

// Weighs a pass that was found in one step over all counted ones.
void weigh_over_steps(const JudgedRun& run, std::uint32_t row, RepeatedPass& pass) {
  const std::vector<PassesInStep> by_step = passes_by_step(run, row, pass);
  double times = 0, ns = 0, steps = 0;
  for (const PassesInStep& one : by_step) {
    times += static_cast<double>(one.times);
    ns += static_cast<double>(one.ns);
    steps += one.times > 0 ? 1 : 0;
  }
  const auto counted = static_cast<double>(run.summary.counted.size());
  const double takes = pass.takes_ns * ns / static_cast<double>(by_step[row].ns);
  const double at_lines = forward_ns(run, pass);
  pass.part = at_lines > takes ? takes / at_lines : 1;
  pass.takes_ns = takes / counted;
  pass.share_of_steps = steps / counted;
  const auto mean = static_cast<std::uint64_t>(std::llround(times / steps));
  if (!pass.is_micro_batch) pass.times = std::max(pass.in_a_row, mean);
}

// Returns the counted step in which the middle of all their time lies, when they stand by their length.
std::uint32_t row_of_middle_time(const JudgedRun& run) {
  std::vector<std::uint32_t> rows = run.summary.counted;
  const auto wall = [&run](std::uint32_t row) { return run.steps.list[row].wall_ns(); };
  std::ranges::stable_sort(rows, {}, wall);
  std::int64_t left = 0;
  for (const std::uint32_t row : rows) left += wall(row);
  left /= 2;
  for (const std::uint32_t row : rows)
    if ((left -= wall(row)) <= 0) return row;
  return rows.back();
}

double saved_ns(const RepeatedPass& pass) {
  return pass.takes_ns * pass.saved_share();
}

// A noted loop says where the passes are, so it is preferred to what the operations show of it.
double worth(const RepeatedPass& pass) {
  return pass.loop == kNone ? kUnnotedCounts * saved_ns(pass) : saved_ns(pass);
}

bool holds(const RepeatedPass& outer, const RepeatedPass& inner) {
  return intersect(outer.span, inner.span) == inner.span && inner.times > outer.times;
}

// Names the loop around or within the chosen one that would save most, if that is enough.
void name_nested(const std::vector<RepeatedPass>& all, RepeatedPass& best) {
  double most = kNestedSavesLeast * saved_ns(best);
  for (const RepeatedPass& other : all) {
    if (other.loop == kNone || other.loop == best.loop || saved_ns(other) < most) continue;
    if (!holds(best, other) && !holds(other, best)) continue;
    most = saved_ns(other);
    best.nested = other.loop;
    best.nested_in_a_row = other.in_a_row;
    best.nested_is_inner = holds(best, other);
  }
}

}  // namespace

double RepeatedPass::share_of(const Segment& segment) const {
  return std::ranges::binary_search(sites, segment.site) ? part : 0;
}

double RepeatedPass::saved_share() const {
  return 1 - 1 / static_cast<double>(in_a_row);
}

std::optional<RepeatedPass> find_repeated_pass(const JudgedRun& run) {
  if (run.summary.counted.empty()) return std::nullopt;
  const std::uint32_t typical = run.summary.counted[run.summary.counted.size() / 2];
  std::vector<std::uint32_t> rows{typical};
  if (const std::uint32_t row = row_of_middle_time(run); row != typical) rows.push_back(row);
  std::vector<RepeatedPass> all;
  for (const std::uint32_t row : rows) {
    const Interval window = run.steps.list[row].window;
    const StepOperations step = operations_in(run, window);
    for (Passes& passes : passes_in(run, window, step, kLeastTimes)) {
      const bool known = passes.loop != kNone &&
                         std::ranges::find(all, passes.loop, &RepeatedPass::loop) != all.end();
      if (known) continue;
      auto one = judge(run, step, std::move(passes));
      if (!one) continue;
      weigh_over_steps(run, row, *one);
      if (one->takes_ns >= kLeastOfTheStep * run.step_ns) all.push_back(std::move(*one));
    }
  }
  if (all.empty()) return std::nullopt;
  RepeatedPass best = *std::ranges::max_element(all, {}, worth);
  if (best.loop != kNone && !best.is_micro_batch) name_nested(all, best);
  return best;
}

}  // namespace stepscope::rules

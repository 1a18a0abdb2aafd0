// SPDX-License-Identifier: Apache-2.0
#include "core/findings/repeated_pass.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/findings/repeats.hpp"

namespace stepscope::rules {
namespace {

constexpr std::size_t kLeastTimes = 4, kLeastTimesWithoutWeights = 32;
constexpr std::int64_t kLongOperationNs = 100'000;
constexpr double kLeastOfTheStep = 0.1;  // share that the stretch takes
constexpr std::array<std::string_view, 13> kWithWeights = {
    "aten::linear",     "aten::conv1d",     "aten::conv2d",     "aten::conv3d",   "aten::embedding",
    "aten::layer_norm", "aten::batch_norm", "aten::group_norm", "aten::bilinear", "aten::mm",
    "aten::matmul",     "aten::addmm",      "aten::einsum"};

struct Operation {
  StringId name = 0;
  SiteId site = kNone;
  Interval time;
  bool communicates = false;  // no pass over all inputs takes its place

  bool same_as(const Operation& other) const {
    return !communicates && !other.communicates && name == other.name && site == other.site;
  }
};

struct StepOperations {
  std::vector<Operation> outermost;   // those with a line, without the backward pass
  std::vector<std::int64_t> sums;     // when the backward pass summed a gradient
  std::vector<std::int64_t> updates;  // when the optimizer worked
};

StepOperations operations_in(const JudgedRun& run, Interval step) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  StepOperations out;
  std::int64_t until = step.begin;
  for (RangeId r = rows.begin; r < rows.end && h.begin[r] < step.end; ++r) {
    if (h.begin[r] < step.begin) continue;
    const std::string_view name = run.trace.text(h.name[r]);
    if (name.ends_with("AccumulateGrad")) out.sums.push_back(h.begin[r]);
    if (h.kind[r] != HostKind::op || h.begin[r] < until) continue;
    until = h.end[r];
    const bool communicates = name.starts_with("c10d::");
    const bool works = communicates || name.starts_with("aten::");
    if (!works) continue;
    if (run.in_optimizer(h.begin[r])) {
      out.updates.push_back(h.begin[r]);
    } else if (run.sites[r] != kNone && !run.makes_input(h.begin[r])) {
      out.outermost.push_back({h.name[r], run.sites[r], {h.begin[r], h.end[r]}, communicates});
    }
  }
  return out;
}

bool has_weights(const JudgedRun& run, const Operation& operation) {
  return std::ranges::find(kWithWeights, run.trace.text(operation.name)) != kWithWeights.end();
}

bool is_short(std::vector<Operation> pass) {
  const auto middle = pass.begin() + static_cast<std::ptrdiff_t>(pass.size() / 2);
  std::ranges::nth_element(pass, middle, {},
                           [](const Operation& one) { return one.time.length(); });
  return middle->time.length() < kLongOperationNs;
}

// Returns the time of the loop's thread at these lines within the step, without their backward pass.
std::int64_t forward_ns(const JudgedRun& run, Interval step, const std::set<SiteId>& sites) {
  std::int64_t out = 0;
  for (const Segment& s : run.segments())
    if (s.direction != Direction::backward && sites.contains(s.site))
      out += intersect(s.time, step).length();
  return out;
}

bool any_in(const std::vector<std::int64_t>& times, Interval within) {
  const auto at = std::ranges::lower_bound(times, within.begin);
  return at != times.end() && *at < within.end;
}

// Whether gradients are summed in each pass or behind it, and the optimizer works between none.
bool are_micro_batches(const StepOperations& step, const Repeats& stretch) {
  for (std::size_t pass = 1; pass < stretch.times(); ++pass) {
    const std::size_t next = stretch.begin + pass * stretch.period;
    const Interval around{step.outermost[next - stretch.period].time.begin,
                          step.outermost[next].time.begin};
    if (!any_in(step.sums, around) || any_in(step.updates, around)) return false;
  }
  return true;
}

// The lines that own time of the loop's thread within it.
std::set<SiteId> sites_in(const JudgedRun& run, Interval time) {
  std::set<SiteId> out;
  for (const Segment& s : run.segments())
    if (s.site != kNone && !intersect(s.time, time).empty()) out.insert(s.site);
  return out;
}

}  // namespace

std::optional<RepeatedPass> find_repeated_pass(const JudgedRun& run) {
  if (run.summary.counted.empty()) return std::nullopt;
  const std::uint32_t row = run.summary.counted[run.summary.counted.size() / 2];
  const Interval window = run.steps.list[row].window;
  const StepOperations step = operations_in(run, window);
  const Repeats stretch = longest_repeats(std::span<const Operation>(step.outermost), kLeastTimes);
  if (stretch.times() < kLeastTimes) return std::nullopt;
  const auto first = step.outermost.begin() + static_cast<std::ptrdiff_t>(stretch.begin);
  const std::vector<Operation> pass(first, first + static_cast<std::ptrdiff_t>(stretch.period));
  const auto with_weights = static_cast<std::size_t>(
      std::ranges::count_if(pass, [&](const Operation& one) { return has_weights(run, one); }));
  const std::size_t least = with_weights > 0 ? kLeastTimes : kLeastTimesWithoutWeights;
  const bool micro = are_micro_batches(step, stretch);
  const std::vector<Repeats> stretches =
      micro ? std::vector{stretch}
            : all_like(std::span<const Operation>(step.outermost), stretch, least);
  std::size_t times = 0;
  double takes = 0;
  for (const Repeats& one : stretches) {
    times += one.times();
    takes += static_cast<double>(step.outermost[one.begin + one.length - 1].time.end -
                                 step.outermost[one.begin].time.begin);
  }
  const bool may_be_layers = with_weights > 0 && step.sums.empty() && step.updates.empty();
  const bool is_layers =
      !may_be_layers && (2 * step.sums.size() >= with_weights * times || step.sums.empty());
  if (!micro && (with_weights > 0 ? is_layers : times < least)) return std::nullopt;
  if (!is_short(pass)) return std::nullopt;
  if (takes < kLeastOfTheStep * static_cast<double>(window.length())) return std::nullopt;
  std::set<SiteId> sites;
  for (const Operation& one : pass) sites.insert(one.site);
  if (micro)
    sites = sites_in(run, {first->time.begin,
                           (first + static_cast<std::ptrdiff_t>(stretch.period))->time.begin});
  const auto all = static_cast<double>(forward_ns(run, window, sites));
  return RepeatedPass{.times = times,
                      .in_a_row = stretch.times(),
                      .operations = stretch.period,
                      .has_weights = with_weights > 0,
                      .may_be_layers = may_be_layers,
                      .is_micro_batch = micro,
                      .sites = {sites.begin(), sites.end()},
                      .part = all > takes ? takes / all : 1};
}

}  // namespace stepscope::rules

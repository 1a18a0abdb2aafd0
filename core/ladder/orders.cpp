// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/orders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace stepscope {
namespace {

constexpr std::size_t bit(std::size_t rung) {
  return std::size_t{1} << rung;
}

// 1 / the number of orders in which so many of `count` come before one.
double weight_of(std::size_t before, std::size_t count) {
  double choices = 1;  // count - 1 over before
  for (std::size_t i = 0; i < before; ++i)
    choices *= static_cast<double>(count - 1 - i) / static_cast<double>(i + 1);
  return 1 / (choices * static_cast<double>(count));
}

std::size_t common_repeats(const Ladder& subsets) {
  std::size_t least = subsets.repeats;
  for (const LadderRung& subset : subsets.rungs) least = std::min(least, subset.rates.size());
  return least;
}

std::vector<double> logarithms(const Ladder& subsets, std::size_t repeat) {
  std::vector<double> out;
  for (const LadderRung& subset : subsets.rungs) out.push_back(std::log(subset.rates[repeat]));
  return out;
}

void set_range(SharedGain& gain, const Ladder& subsets, std::size_t rung) {
  for (std::size_t subset = 0; subset < subsets.rungs.size(); ++subset) {
    if ((subset & bit(rung)) != 0) continue;
    const double factor =
        ratio_of(subsets.rungs[subset].rates, subsets.rungs[subset | bit(rung)].rates).value;
    gain.least = gain.least == 0 ? factor : std::min(gain.least, factor);
    gain.most = std::max(gain.most, factor);
  }
}

std::vector<SharedGain> shared_gains(const Ladder& subsets, const std::vector<RungName>& rungs) {
  std::vector<std::vector<double>> shares(rungs.size());
  for (std::size_t repeat = 0; repeat < common_repeats(subsets); ++repeat) {
    const auto values = shapley_values(logarithms(subsets, repeat), rungs.size());
    for (std::size_t i = 0; i < rungs.size(); ++i) shares[i].push_back(std::exp(values[i]));
  }
  const std::size_t all = subsets.rungs.size() - 1;
  std::vector<SharedGain> out;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    SharedGain gain{.rung = rungs[i], .share = repeated_mean(shares[i])};
    gain.alone = ratio_of(subsets.rungs[0].rates, subsets.rungs[bit(i)].rates);
    gain.behind_all = ratio_of(subsets.rungs[all ^ bit(i)].rates, subsets.rungs[all].rates);
    set_range(gain, subsets, i);
    out.push_back(std::move(gain));
  }
  return out;
}

// Returns the rungs that a subset's run had on without being in the subset: a rung may need
// another.
std::string not_asked_for(const std::vector<RungName>& rungs, std::size_t subset,
                          const TrainedRun& base, const TrainedRun& run) {
  std::vector<std::string> extra;
  for (const std::string& name : run.rungs) {
    const auto is_it = [&name](const RungName& rung) { return rung.name == name; };
    const auto asked = std::find_if(rungs.begin(), rungs.end(), is_it);
    const bool in_subset = asked != rungs.end() &&
                           (subset & bit(static_cast<std::size_t>(asked - rungs.begin()))) != 0;
    const bool in_base = std::find(base.rungs.begin(), base.rungs.end(), name) != base.rungs.end();
    if (!in_subset && !in_base) extra.push_back(name);
  }
  return fmt::format("{}", fmt::join(extra, ", "));
}

std::vector<std::string> subsets_that_are_others(const std::vector<RungName>& rungs,
                                                 const std::vector<RungRuns>& subsets) {
  std::vector<std::string> notes;
  for (std::size_t i = 1; i < subsets.size(); ++i) {
    if (subsets[i].runs.empty() || subsets[0].runs.empty()) continue;
    const std::string extra =
        not_asked_for(rungs, i, subsets[0].runs.front(), subsets[i].runs.front());
    if (extra.empty()) continue;
    notes.push_back(
        fmt::format("{} needs {}, which was switched on with it: their shares cannot be separated; "
                    "begin at a rung "
                    "that has it (--rungs)",
                    subsets[i].rung.id, extra));
    break;
  }
  return notes;
}

void note_unknown_signs(RungOrders& orders) {
  std::vector<std::string> unknown;
  for (const SharedGain& gain : orders.rungs)
    if (!gain.share.low || (*gain.share.low <= 1 && *gain.share.high >= 1))
      unknown.push_back(gain.rung.id);
  if (unknown.empty()) return;
  orders.subsets.notes.push_back(fmt::format(
      "whether {} gain or lose is not known by {} repeat{}: take more, longer runs or "
      "a quieter machine",
      fmt::join(unknown, ", "), orders.subsets.repeats, orders.subsets.repeats == 1 ? "" : "s"));
}

}  // namespace

std::vector<double> shapley_values(const std::vector<double>& values, std::size_t count) {
  std::vector<double> out(count, 0);
  for (std::size_t subset = 0; subset < values.size(); ++subset) {
    const auto before = static_cast<std::size_t>(std::popcount(subset));
    for (std::size_t rung = 0; rung < count; ++rung) {
      if ((subset & bit(rung)) != 0) continue;
      out[rung] += weight_of(before, count) * (values[subset | bit(rung)] - values[subset]);
    }
  }
  return out;
}

RungOrders make_orders(std::string model, const RungName& base, const std::vector<RungName>& rungs,
                       const std::vector<RungRuns>& subsets, const LadderOptions& options) {
  RungOrders orders{.base = base, .subsets = make_ladder(std::move(model), subsets, options)};
  std::vector<std::string>& notes = orders.subsets.notes;
  notes = notes_of_runs(orders.subsets);
  const std::vector<std::string> others = subsets_that_are_others(rungs, subsets);
  notes.insert(notes.end(), others.begin(), others.end());
  if (others.empty() && common_repeats(orders.subsets) > 0) {
    orders.rungs = shared_gains(orders.subsets, rungs);
    orders.in_all = ratio_of(orders.subsets.rungs.front().rates, orders.subsets.rungs.back().rates);
    note_unknown_signs(orders);
    notes.emplace_back(
        "a share is the mean over all orders in which the rungs can be switched on (Shapley value "
        "of the rate's logarithm), so shares multiply to the whole gain");
  } else if (others.empty()) {
    notes.emplace_back("a subset did not run, so that shares are not known");
  }
  return orders;
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/ladder_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace stepscope {
namespace {

Result<std::size_t> place_of_rung(const std::vector<RungName>& all, const std::string& wanted,
                                  const char* flag) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted == all[i].id || wanted == all[i].name) return i;
  std::vector<std::string> names;
  for (const RungName& rung : all) names.push_back(rung.id + " " + rung.name);
  return usage_error(
      fmt::format("{}: '{}' is no rung; there are: {}", flag, wanted, fmt::join(names, ", ")));
}

std::vector<std::string> names_between_commas(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) out.push_back(part);
  return out;
}

std::vector<std::string> names_in(const OrdersPlan& plan, std::size_t subset) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.rungs.size(); ++i)
    if ((subset >> i & 1U) != 0) names.push_back(plan.rungs[i].name);
  return names;
}

}  // namespace

Result<std::vector<RungName>> choose_rungs(const std::vector<RungName>& all,
                                           const std::string& wanted) {
  if (wanted.empty()) return all;
  std::vector<RungName> out;
  for (const std::string& part : names_between_commas(wanted)) {
    const std::size_t dots = part.find("..");
    const Result<std::size_t> first = place_of_rung(all, part.substr(0, dots), "--rungs");
    if (!first) return first.error();
    const Result<std::size_t> last =
        dots == std::string::npos ? first : place_of_rung(all, part.substr(dots + 2), "--rungs");
    if (!last) return last.error();
    if (*last < *first)
      return usage_error(fmt::format("--rungs {}: {} stands above {} on the ladder", wanted,
                                     all[*first].id, all[*last].id));
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(*first),
               all.begin() + static_cast<std::ptrdiff_t>(*last) + 1);
  }
  return out;
}

std::vector<PlannedRun> runs_of_rungs(const std::vector<RungName>& rungs) {
  std::vector<PlannedRun> out;
  for (const RungName& rung : rungs) out.push_back({rung, "--rung " + rung.id});
  return out;
}

Result<OrdersPlan> plan_orders(const std::vector<RungName>& all, const std::string& names,
                               const std::string& base) {
  std::set<std::size_t> places;
  for (const std::string& name : names_between_commas(names)) {
    const Result<std::size_t> place = place_of_rung(all, name, "--shapley");
    if (!place) return place.error();
    if (*place == 0)
      return usage_error(fmt::format(
          "--shapley: {} is the start, which cannot be switched; name rungs above it", name));
    places.insert(*place);
  }
  if (places.size() < 2 || places.size() > kMostInOrders)
    return usage_error(fmt::format(
        "--shapley {}: takes 2 to {} rungs, of which it runs every subset", names, kMostInOrders));
  const auto below = base.empty()
                         ? Result<std::size_t>(*places.begin() - 1)
                         : place_of_rung(all, base, "--rungs (with --shapley one rung, the base)");
  if (!below) return below.error();
  if (*below >= *places.begin())
    return usage_error(fmt::format("--rungs {}: has {} on already; begin at a rung below it", base,
                                   all[*places.begin()].id));
  for (const std::size_t place : places) {
    const std::string& needs = all[place].needs;
    const auto needed = needs.empty() ? below : place_of_rung(all, needs, "--shapley");
    if (!needed) return needed.error();
    if (*needed > *below)
      return usage_error(
          fmt::format("--shapley: {} takes {} along, so that their shares could not be separated; "
                      "begin at a rung "
                      "that has it: --rungs {} or one above",
                      all[place].name, needs, all[*needed].id));
  }
  OrdersPlan plan{.base = all[*below], .rungs = {}};
  for (const std::size_t place : places) plan.rungs.push_back(all[place]);
  return plan;
}

std::vector<PlannedRun> runs_of(const OrdersPlan& plan) {
  std::vector<PlannedRun> out;
  for (std::size_t subset = 0; subset >> plan.rungs.size() == 0; ++subset) {
    const std::vector<std::string> names = names_in(plan, subset);
    PlannedRun run{.rung = plan.base, .arguments = "--rung " + plan.base.id};
    if (!names.empty()) {
      run.rung.id += fmt::format("+{}", fmt::join(names, "+"));
      run.rung.name = fmt::format("{}", fmt::join(names, "+"));
      run.arguments += fmt::format(" --with {}", fmt::join(names, ","));
    }
    out.push_back(std::move(run));
  }
  return out;
}

std::vector<PlannedRun> runs_of_sweep(const std::vector<RungName>& rungs,
                                      const std::vector<std::int64_t>& micro_batches) {
  std::vector<PlannedRun> out;
  for (const std::int64_t micro_batch : micro_batches) {
    for (const RungName& rung : rungs) {
      PlannedRun run{rung, fmt::format("--rung {} --micro-batch {}", rung.id, micro_batch)};
      run.rung.id += fmt::format("@{}", micro_batch);
      out.push_back(std::move(run));
    }
  }
  return out;
}

std::vector<SweepRuns> by_micro_batch(const std::vector<RungName>& rungs,
                                      const std::vector<std::int64_t>& micro_batches,
                                      const std::vector<RungRuns>& runs) {
  std::vector<SweepRuns> out;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    SweepRuns of{.micro_batch = micro_batches[i], .rungs = {}};
    for (std::size_t rung = 0; rung < rungs.size(); ++rung) {
      of.rungs.push_back(runs[i * rungs.size() + rung]);
      of.rungs.back().rung = rungs[rung];
    }
    out.push_back(std::move(of));
  }
  return out;
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/report/wording/numbers.hpp"
#include "core/steps/unusual/long_rule.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostOwners = 3;
constexpr std::size_t kMostCompiling = 3;
constexpr double kLeastRest = 0.0005;
constexpr double kLeastCompiling = 0.01;  // share of the usual step

std::string duration(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

// "8 of 37 steps"
std::string how_many(const LongSteps& steps, std::uint64_t counted) {
  return fmt::format("{} of {} step{}", steps.steps, counted, counted == 1 ? "" : "s");
}

std::uint64_t steps_of_loop(const Summary& summary) {
  return summary.partition.steps_counted +
         (summary.long_steps.left_out ? summary.long_steps.steps : 0);
}

using Owner = std::pair<std::string, std::int64_t>;

// "host.gc 96.0 %, host.python 3.1 %"; owners come largest first. What is shorter in the long steps
// than in the median one is said, since the shares then exceed the whole.
std::string largest_owners(const std::vector<Owner>& owners, std::int64_t excess_ns) {
  std::string out;
  std::size_t shown = 0;
  std::int64_t rest_ns = excess_ns;
  for (const auto& [name, ns] : owners) {
    if (shown == kMostOwners || ns <= 0) break;
    out += fmt::format("{}{} {}", shown++ == 0 ? "" : ", ", name,
                       format_share(static_cast<double>(ns) / static_cast<double>(excess_ns)));
    rest_ns -= ns;
  }
  const double rest = static_cast<double>(rest_ns) / static_cast<double>(excess_ns);
  return out.empty() || rest > -kLeastRest
             ? out
             : out + fmt::format(", elsewhere {:.1f} % less", -100 * rest);
}

std::vector<Owner> causes_of(const LongSteps& steps) {
  std::vector<Owner> out;
  for (const auto& [cause, ns] : steps.excess_by_cause())
    out.emplace_back(std::string(name_of(cause)), ns);
  return out;
}

std::vector<Owner> lines_of(const LongSteps& steps) {
  std::map<std::pair<std::string, std::uint32_t>, std::int64_t> sums;
  for (const ExcessRow& row : steps.excess) {
    if (!row.file.empty()) sums[{row.file, row.line}] += row.ns_total;
  }
  std::vector<Owner> out;
  for (const auto& [line, ns] : sums)
    out.emplace_back(fmt::format("{}:{}", short_file(line.first), line.second), ns);
  std::stable_sort(out.begin(), out.end(),
                   [](const Owner& a, const Owner& b) { return a.second > b.second; });
  return out;
}

}  // namespace

std::string trimmed_text(const StepScale& scale) {
  const LongSteps& steps = scale.summary.long_steps;
  if (!steps.left_out) return "";
  return fmt::format(
      "TRIMMED: {}, {} of the loop's time, {} long and left out (--without-long-steps): the loop "
      "itself takes {} a step",
      how_many(steps, steps_of_loop(scale.summary)), format_share(steps.share()),
      steps.steps == 1 ? "is" : "are",
      format_duration(static_cast<double>(steps.loop_ns_total) /
                      static_cast<double>(steps_of_loop(scale.summary))));
}

std::string long_share_text(const StepScale& scale) {
  const LongSteps& steps = scale.summary.long_steps;
  if (steps.left_out || !steps.matter()) return "";
  return fmt::format("{} {} of this; the median step takes {}",
                     how_many(steps, steps_of_loop(scale.summary)) +
                         (steps.steps == 1 ? " is long and holds" : " are long and hold"),
                     format_share(steps.share()), duration(steps.median_ns));
}

std::vector<std::string> long_steps_texts(const StepScale& scale) {
  const LongSteps& steps = scale.summary.long_steps;
  if (steps.rows.empty()) return {};
  std::vector<std::string> out = {
      fmt::format("{}, {} of the loop's time, {} over {} ({}); the longest {:.1f}x the median",
                  how_many(steps, steps_of_loop(scale.summary)), format_share(steps.share()),
                  steps.steps == 1 ? "takes" : "take", duration(steps.limit_ns), long_rule_text(),
                  steps.highest_ratio())};
  std::string owners =
      fmt::format("beyond the median step they took {}: {}", duration(steps.excess_ns_total),
                  largest_owners(causes_of(steps), steps.excess_ns_total));
  const std::string lines = largest_owners(lines_of(steps), steps.excess_ns_total);
  out.push_back(owners + (lines.empty() ? "; no line is known" : "; by line " + lines));
  return out;
}

std::string warm_up_text(const StepScale& scale) {
  const WarmUp& warm_up = scale.summary.steps.warm_up;
  if (warm_up.steps == 0 || !scale.has_steps) return "";
  std::string out =
      warm_up.steps == 1 ? "first step" : fmt::format("first {} steps", warm_up.steps);
  if (warm_up.wall_ns > 0) out += ", " + duration(warm_up.wall_ns);
  return warm_up.why.empty() ? out : out + ": " + warm_up.why;
}

std::string compilation_text(const StepScale& scale) {
  std::vector<const Step*> compiling;
  std::int64_t sum = 0;
  const double least = kLeastCompiling * static_cast<double>(scale.summary.partition.p50_ns);
  for (const Step& step : scale.summary.steps.list) {
    if (step.compile_ns <= 0 || static_cast<double>(step.compile_ns) < least) continue;
    compiling.push_back(&step);
    sum += step.compile_ns;
  }
  if (compiling.empty() || !scale.has_steps) return "";
  std::stable_sort(compiling.begin(), compiling.end(),
                   [](const Step* a, const Step* b) { return a->compile_ns > b->compile_ns; });
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostCompiling, compiling.size()); ++i)
    out += fmt::format("{}{} in step {}", i == 0 ? "" : ", ", duration(compiling[i]->compile_ns),
                       compiling[i]->id);
  if (compiling.size() > kMostCompiling)
    out +=
        fmt::format(", and {} more: {} together", compiling.size() - kMostCompiling, duration(sum));
  return "compilation, tuning and module loads: " + out;
}

}  // namespace stepscope

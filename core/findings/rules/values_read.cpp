// SPDX-License-Identifier: Apache-2.0
// launch_bound on a run without a device, at lines that hardly do more than to read values out of
// tensors (item(), comparisons), to log or print them.
//
//   fires where   caused >= 5 % of the step, and >= least
//   caused        all of the host's time at these lines
//   forecast      as if they did nothing: values that are read once in many steps
#include <fmt/format.h>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_operations.hpp"
#include "core/findings/price.hpp"
#include "core/findings/rules/rules.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLeastOfValues = 0.05;

}  // namespace

Judgement judge_values_read(const JudgedRun& run, const OperationCount& operations) {
  Judgement out;
  Price price(run);
  Fix without{.kind = FixKind::drop_work};
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (s.site == kNone || !run.counts(s.time.begin) || s.cause == Cause::host_core_wait) continue;
    if (!is_host(s.cause) || !operations.is_of_values(line_of(run, s.site))) continue;
    const std::int64_t ns = run.unexplained_ns(i);
    price.add(s, ns);
    out.explained.emplace_back(i, ns);
  }
  const double time = run.per_step(price.total());
  if (run.weight(time) < kLeastOfValues || time < run.least_ns()) {
    return {};
  }
  std::uint64_t reads = 0;
  for (const auto& [line, at] : operations.by_line)
    if (operations.is_of_values(line)) reads += at.reads;
  for (SiteId site = 0; site < run.trace.data().sites.size(); ++site)
    if (operations.is_of_values(line_of(run, site))) without.scope.sites.push_back(site);
  Finding& finding = out.found.emplace_back(price.finding(time));
  finding.count_per_step = run.count_per_step(reads);
  finding.title = fmt::format(
      "{} values a step are read out of tensors one by one, at lines that hardly do more: {} a "
      "step ({})",
      count_text(finding.count_per_step), format_duration(time), percent(run.share(time)));
  finding.fixes = {without};
  advise(Advice::values_read_without_device, run.language, finding);
  finding.falsified_by = fmt::format(
      "without what these lines do with their values the step is not shorter by up to {}",
      format_duration(time));
  finding.certainty = Certainty::assumption;
  return out;
}

}  // namespace stepscope::rules

// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/tables.hpp"

#include <fmt/format.h>

#include "core/report/wording/names.hpp"
#include "core/support/duration.hpp"

namespace stepscope {

bool says_phases(const Summary& summary) {
  const std::vector<PhaseRow>& rows = summary.phases;
  return rows.size() > 1 || (rows.size() == 1 && rows[0].calls_total > 0);
}

std::string phase_remark_text(const PhaseRow& row) {
  // A range that names a phase is counted; a mark of PyTorch's is not.
  if (row.path == "forward" && row.calls_total == 0) return "with the loss and all without a mark";
  if (row.every_steps < 1.5 || row.steps_in == 0) return "";
  const double each = static_cast<double>(row.wall_ns_total) / static_cast<double>(row.steps_in);
  return fmt::format("1 step in {:.0f}: {}", row.every_steps, format_duration(each));
}

std::string waited_for_text(const StepScale& scale, const TransferRow& row) {
  if (row.latest_rank < 0) return "";
  const double share =
      static_cast<double>(row.latest_rank_ns_total) / static_cast<double>(row.late_ns_total);
  return fmt::format("{}, rank {} {:.0f} %", scale.time(row.late_ns_total), row.latest_rank,
                     100 * share);
}

std::string exact_title(std::uint64_t steps) {
  return steps == 1 ? "ns, 1 step" : fmt::format("ns, {} steps", steps);
}

std::string cause_meaning(const StepScale& scale, Cause cause) {
  std::string text(meaning_of(cause));
  if (scale.summary.partition.inflated && is_host(cause)) text += " (inflated)";
  return text;
}

}  // namespace stepscope

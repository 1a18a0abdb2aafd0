// SPDX-License-Identifier: Apache-2.0
#include "core/findings/all_findings.hpp"

#include <algorithm>
#include <charconv>

namespace stepscope {
namespace {

std::optional<std::int64_t> step_at(const Steps& steps, std::int64_t time) {
  const auto inside = std::find_if(steps.list.begin(), steps.list.end(),
                                   [&](const Step& step) { return step.window.contains(time); });
  return inside == steps.list.end() ? std::nullopt : std::optional(inside->id);
}

// The events of one table: host ranges or device ops.
template <class Table>
std::optional<EvidenceEvent> event_in(const Table& table, const Trace& trace, const Steps& steps,
                                      const std::string& id) {
  std::uint32_t row = 0;
  const auto read = std::from_chars(id.data() + 1, id.data() + id.size(), row);
  if (read.ec != std::errc() || row >= table.size()) return std::nullopt;
  return EvidenceEvent{id, std::string(trace.text(table.name[row])),
                       table.end[row] - table.begin[row], step_at(steps, table.begin[row])};
}

void name_each(const Trace& trace, const Steps& steps, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.events.clear();
    for (const std::string& id : finding.evidence) {
      const auto event = id.starts_with('h')   ? event_in(trace.host_ranges(), trace, steps, id)
                         : id.starts_with('d') ? event_in(trace.device_ops(), trace, steps, id)
                                               : std::nullopt;
      if (event) finding.events.push_back(*event);
    }
  }
}

}  // namespace

void name_evidence(const Trace& trace, const Steps& steps, Findings& findings) {
  name_each(trace, steps, findings.found);
  name_each(trace, steps, findings.no_gain);
}

}  // namespace stepscope

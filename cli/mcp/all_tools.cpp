// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/tool.hpp"

namespace stepscope::mcp {

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> kTools = {
      traces_tool(),    // which runs there are
      report_tool(),    // where a step's time goes
      findings_tool(),  // what costs time, and what to do
      explain_tool(),   // what a finding means
      whatif_tool(),    // what a fix would give
      diff_tool(),      // what a change gave
      gate_tool(),      // whether it is a regression
      table_tool(),     // lines, kernels, phases, counts, ...
      steps_tool(),     // single steps
      events_tool(),    // single events
      event_tool(),
  };
  return kTools;
}

std::vector<Field> joined(std::vector<Field> a, std::vector<Field> b) {
  for (Field& field : b) a.push_back(std::move(field));
  return a;
}

}  // namespace stepscope::mcp

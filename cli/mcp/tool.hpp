// SPDX-License-Identifier: Apache-2.0
// One thing that an agent may ask. A tool is a file in tools/ and a line of the ordered list in
// all_tools.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/mcp/answer.hpp"
#include "cli/mcp/arguments.hpp"
#include "cli/mcp/runs.hpp"

namespace stepscope::mcp {

struct ToolCall {
  Runs& runs;
  const Arguments& arguments;
  Progress progress;
};

struct Tool {
  std::string name;
  std::string title;
  std::string about;  // what it answers, when to use it, and what to ask next
  std::vector<Field> fields;
  Result<Json> (*answer)(const ToolCall& call);  // errors name the field or the file
};

Tool traces_tool();
Tool report_tool();
Tool findings_tool();
Tool explain_tool();
Tool whatif_tool();
Tool diff_tool();
Tool gate_tool();
Tool table_tool();
Tool steps_tool();
Tool events_tool();
Tool event_tool();

// In the order in which an agent is likely to need them.
const std::vector<Tool>& all_tools();

// a with b behind it.
std::vector<Field> joined(std::vector<Field> a, std::vector<Field> b);

}  // namespace stepscope::mcp

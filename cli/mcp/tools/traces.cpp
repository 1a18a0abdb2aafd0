// SPDX-License-Identifier: Apache-2.0
// Tool "traces": which runs there are, and which are in memory.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/mcp/tool.hpp"

namespace stepscope::mcp {
namespace {

namespace fs = std::filesystem;

// Resident memory of the process; 0 where the system does not report it.
std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::vector<std::string> recorded_here() {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(".", error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".scope") out.push_back(at->path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

Json kept_json(const Run& run) {
  const Summary& s = run.summary_of_rank();
  return {{"trace", run.name().path},
          {"bytes", run.bytes()},
          {"events", s.run.events},
          {"steps_counted", s.partition.steps_counted}};
}

Result<Json> answer_traces(const ToolCall& call) {
  Json kept = Json::array();
  for (const auto& run : call.runs.kept()) kept.push_back(kept_json(*run));
  std::error_code error;
  const Json head = {{"folder", fs::current_path(error).string()},
                     {"given", call.runs.given()},
                     {"loaded", std::move(kept)},
                     {"loaded_bytes", call.runs.kept_bytes()},
                     {"most_bytes", call.runs.most_bytes()},
                     {"resident_bytes", resident_bytes()}};
  const std::vector<std::string> found = recorded_here();
  return page(head,
              {.size = found.size(),
               .at =
                   [&found](std::size_t i) {
                     return Json{{"trace", found[i]}};
                   },
               .name = "in_folder"},
              call.arguments);
}

}  // namespace

Tool traces_tool() {
  return {.name = "traces",
          .title = "List runs",
          .about =
              "Which recorded runs there are: given at the start, in the server's folder, and "
              "in memory with their bytes and the bound. Any other tool takes such a path, or "
              "any other path, as `trace`. To record one, run in a shell: stepscope profile "
              "-o NAME -- python train.py",
          .fields = page_fields(),
          .answer = answer_traces};
}

}  // namespace stepscope::mcp

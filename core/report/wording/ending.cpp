// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/model/losses.hpp"

namespace stepscope {
namespace {

// Returns the exit as the launcher wrote it: {"status":1}, {"signal":9} or null.
std::string exit_fact(const RunFacts& run) {
  const auto at = std::find_if(run.versions.begin(), run.versions.end(),
                               [](const auto& fact) { return fact.first == "exit"; });
  return at == run.versions.end() ? "" : at->second;
}

int number_of(const nlohmann::json& exit, const char* key) {
  const auto at = exit.find(key);
  return at != exit.end() && at->is_number_integer() ? at->get<int>() : 0;
}

std::string failure(const std::string& fact) {
  const nlohmann::json exit = nlohmann::json::parse(fact, nullptr, false);
  if (!exit.is_object()) return "";
  if (const int signal = number_of(exit, "signal"); signal != 0)
    return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  const int status = number_of(exit, "status");
  return status == 0 ? "" : fmt::format("ended with status {}", status);
}

std::string program_text(const Summary& summary) {
  const std::string how = failure(exit_fact(summary.run));
  if (how.empty()) return "";
  const Steps& steps = summary.steps;
  if (steps.list.empty() || steps.found_by == FoundBy::whole_trace) return "the program " + how;
  return fmt::format("the program {} after step {}, the last one found", how, steps.list.back().id);
}

std::string damage_text(std::uint64_t lost) {
  if (lost == 0) return "";
  return fmt::format("the recording is damaged or cut off: {} of its parts {} missing", lost,
                     lost == 1 ? "is" : "are");
}

std::string early_end_text(const std::vector<std::string>& notes) {
  const std::string when = when_recording_ended(notes);
  if (when.empty()) return "";
  return "the recording ended " + when + ", and what came later is not in it (Trust says why)";
}

}  // namespace

std::string ending_text(const Summary& summary) {
  std::string out;
  for (const std::string& text : {damage_text(summary.trust.lost_chunks),
                                  early_end_text(summary.trust.notes), program_text(summary)})
    if (!text.empty()) out += (out.empty() ? "" : "; ") + text;
  return out;
}

}  // namespace stepscope

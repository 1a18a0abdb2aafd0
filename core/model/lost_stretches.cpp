// SPDX-License-Identifier: Apache-2.0
#include "core/model/losses.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/model/trace.hpp"

namespace stepscope {

std::string text_of_stretches(const IntervalSet& stretches) {
  std::string text;
  for (const Interval& lost : stretches)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", lost.begin, lost.end);
  return text;
}

IntervalSet stretches_of_text(const std::string& text) {
  std::istringstream words(text);
  std::vector<Interval> stretches;
  Interval lost;
  char comma = ',';
  while (comma == ',' && words >> lost.begin >> lost.end) {
    if (!lost.empty()) stretches.push_back(lost);
    if (!(words >> comma)) break;
  }
  return unite(std::move(stretches));
}

IntervalSet lost_stretches(const Trace& trace, ProcessId process) {
  if (process >= trace.data().processes.size()) return {};
  const auto& facts = trace.data().processes[process].facts;
  const auto fact = facts.find(kLostStretches);
  return fact == facts.end() ? IntervalSet{} : stretches_of_text(fact->second);
}

}  // namespace stepscope

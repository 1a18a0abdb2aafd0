// SPDX-License-Identifier: Apache-2.0
#include "core/model/losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

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

namespace {

std::vector<Interval> without_room(const Trace& trace, ProcessId process) {
  const Counters& c = trace.data().counters;
  std::vector<std::pair<std::int64_t, double>> readings;
  for (std::size_t row = 0; row < c.size(); ++row)
    if (c.process[row] == process && trace.text(c.track[row]) == kNoRoomTrack)
      readings.emplace_back(c.time[row], c.value[row]);
  std::ranges::sort(readings);
  std::vector<Interval> out;
  for (std::size_t i = 1; i < readings.size(); ++i)
    if (readings[i].second > readings[i - 1].second)
      out.push_back({readings[i - 1].first, readings[i].first});
  return out;
}

}  // namespace

IntervalSet lost_stretches(const Trace& trace, ProcessId process) {
  if (process >= trace.data().processes.size()) return {};
  std::vector<Interval> out = without_room(trace, process);
  const auto& facts = trace.data().processes[process].facts;
  if (const auto fact = facts.find(kLostStretches); fact != facts.end())
    std::ranges::copy(stretches_of_text(fact->second), std::back_inserter(out));
  return unite(std::move(out));
}

}  // namespace stepscope

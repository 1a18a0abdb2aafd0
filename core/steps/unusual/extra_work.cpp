// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/extra_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

constexpr std::int64_t kLeastSpanned = 4;  // 1 / this of the excess

using SourceLine = std::tuple<StringId, StringId, std::uint32_t>;  // file, function, line
using FunctionKey = std::pair<StringId, StringId>;                 // file, function

SourceLine source_line_of(const Site& site) {
  return {site.file, site.function, site.line};
}

// Calls `visit(step, range)` for the loop thread's ranges with a line, in order of time.
template <class Visit>
void for_each_in_steps(const Trace& trace, const Steps& steps, const Visit& visit) {
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(steps.thread);
  std::size_t step = 0;
  for (RangeId range = rows.begin; range < rows.end; ++range) {
    if (h.begin[range] < steps.list.front().host.begin) continue;
    while (step < steps.list.size() && h.begin[range] >= steps.list[step].host.end) ++step;
    if (step == steps.list.size()) return;
    if (h.site[range] != kNone) visit(step, range);
  }
}

// Lines that run in at most half of the steps, and in one of `places`.
class RareLines {
 public:
  RareLines(const Trace& trace, const Steps& steps) : trace_(trace), most_(steps.list.size() / 2) {
    for_each_in_steps(trace, steps, [this](std::size_t step, RangeId range) {
      Seen& seen = seen_[line_at(range)];
      if (seen.steps == 0 || seen.last != step) ++seen.steps;
      seen.last = step;
    });
  }

  bool has(RangeId range) const { return seen_.at(line_at(range)).steps <= most_; }

 private:
  struct Seen {
    std::size_t steps = 0;
    std::size_t last = 0;
  };

  SourceLine line_at(RangeId range) const {
    return source_line_of(trace_.data().sites[trace_.host_ranges().site[range]]);
  }

  const Trace& trace_;
  std::size_t most_;
  std::map<SourceLine, Seen> seen_;
};

// One function in the steps asked for.
struct FunctionSpan {
  std::size_t step = 0;
  Interval time;           // in that step
  std::int64_t ns = 0;     // sum over the steps before
  std::uint32_t line = 0;  // the first

  std::int64_t total() const { return ns + time.length(); }
  void add(std::size_t in, Interval range) {
    if (in == step) {
      time.end = std::max(time.end, range.end);
    } else {
      ns += time.length();
      step = in;
      time = range;
    }
  }
};

std::map<FunctionKey, FunctionSpan> spans_of(const Trace& trace, const Steps& steps,
                                             const std::vector<std::size_t>& places) {
  const HostRanges& h = trace.host_ranges();
  const RareLines rare(trace, steps);
  std::map<FunctionKey, FunctionSpan> spans;
  for_each_in_steps(trace, steps, [&](std::size_t step, RangeId range) {
    if (!std::binary_search(places.begin(), places.end(), step) || !rare.has(range)) return;
    const Site& site = trace.data().sites[h.site[range]];
    const Interval time{h.begin[range], h.end[range]};
    const auto [at, is_new] =
        spans.try_emplace({site.file, site.function}, FunctionSpan{step, time, 0, site.line});
    if (!is_new) at->second.add(step, time);
  });
  return spans;
}

}  // namespace

std::string caller_of_extra_work(const Trace& trace, const Steps& steps,
                                 const std::vector<std::size_t>& places, std::int64_t excess_ns) {
  const std::map<FunctionKey, FunctionSpan> spans = spans_of(trace, steps, places);
  const auto longest = std::max_element(
      spans.begin(), spans.end(),
      [](const auto& a, const auto& b) { return a.second.total() < b.second.total(); });
  if (longest == spans.end() || longest->second.total() * kLeastSpanned < excess_ns) return "";
  const auto& [key, span] = *longest;
  const std::string file = std::filesystem::path(trace.text(key.first)).filename().string();
  const std::string_view function = trace.text(key.second);
  const std::string place = fmt::format("{}:{}", file, span.line);
  return function.empty() ? place : fmt::format("{} ({})", function, place);
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// What the host was inside while nobody knows what it waited for or did: the innermost call, op or
// range of the loop's thread, with its line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/steps/finders/named_range.hpp"
#include "core/summary/parts.hpp"
#include "core/support/duration.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr double kWorthSaying = 0.01;  // share of the counted time
constexpr std::size_t kMostNamed = 3;

// The innermost range of the thread that is open at `time`; kNone where none is.
RangeId open_at(const Trace& trace, ThreadId thread, std::int64_t time) {
  if (thread >= trace.data().threads.size()) return kNone;
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(thread);
  const auto first = h.begin.begin() + rows.begin;
  const auto after = std::upper_bound(first, h.begin.begin() + rows.end, time);
  if (after == first) return kNone;
  auto range = static_cast<RangeId>(after - h.begin.begin() - 1);
  while (range != kNone && h.end[range] <= time) range = h.parent[range];
  return range;
}

std::string line_of(const Trace& trace, SiteId site) {
  if (site >= trace.data().sites.size()) return "";
  const Site& at = trace.data().sites[site];
  return fmt::format(" at {}:{}", trace.text(at.file), at.line);
}

// The host issued collectives, and the device's records of them are missing.
bool lacks_collectives(const Trace& trace, const Attribution& attribution) {
  const auto& names = trace.data().host_ranges.name;
  const bool issued = std::any_of(names.begin(), names.end(), [&trace](StringId name) {
    const std::string_view text = trace.text(name);
    return text.starts_with("nccl:") || text.starts_with("c10d::") ||
           text.starts_with("record_param_comms");
  });
  return issued && trace.calls().size() > 0 &&
         std::none_of(attribution.ops.begin(), attribution.ops.end(),
                      [](const OpOwner& op) { return op.cause == Cause::comm_transfer; });
}

// Marks of steps differ in their numbers alone: "ProfilerStep#".
std::string name_of_range(const Trace& trace, RangeId range) {
  const HostRanges& h = trace.host_ranges();
  const std::string_view name = trace.text(h.name[range]);
  if (!is_annotation(h.kind[range])) return std::string(name);
  std::string stem = split_number(name).stem;
  if (stem.ends_with("##")) stem.pop_back();
  return stem;
}

using Insides = std::map<std::string, std::int64_t>;

Insides unexplained_insides(const Trace& trace, const Steps& steps, const Attribution& attribution,
                            const Counting& counting) {
  Insides out;
  CountedTime counted(counting);
  for (const Segment& segment : attribution.process.segments) {
    const std::int64_t ns = counted.of(segment.time);
    if (ns == 0 || !is_unexplained(segment.cause)) continue;
    const RangeId range = segment.host_evidence < trace.host_ranges().size()
                              ? segment.host_evidence
                              : open_at(trace, steps.thread, segment.time.begin);
    const std::string where = range == kNone ? "between the records of the loop's thread"
                                             : "inside " + name_of_range(trace, range);
    out[where + line_of(trace, segment.site)] += ns;
  }
  return out;
}

}  // namespace

void note_unknown(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const Counting& counting, std::vector<std::string>& notes) {
  const Insides insides = unexplained_insides(trace, steps, attribution, counting);
  std::vector<std::pair<std::int64_t, std::string>> longest;
  std::int64_t all = 0;
  for (const auto& [where, ns] : insides) {
    longest.emplace_back(ns, where);
    all += ns;
  }
  const auto wall = static_cast<double>(total_length(counting.windows));
  if (static_cast<double>(all) <= kWorthSaying * wall) return;
  std::sort(longest.rbegin(), longest.rend());
  longest.resize(std::min(kMostNamed, longest.size()));
  const auto steps_counted = static_cast<double>(std::max<std::size_t>(1, counting.rows.size()));
  std::string text;
  for (const auto& [ns, where] : longest)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        format_duration(static_cast<double>(ns) / steps_counted), where);
  notes.push_back(fmt::format("without explanation a step: {}{}", text,
                              lacks_collectives(trace, attribution)
                                  ? ", behind collectives that are not in the trace"
                                  : ""));
}

}  // namespace stepscope::summary_parts

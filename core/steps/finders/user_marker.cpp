// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/finders/named_range.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kNamesShown = 8;

std::vector<RangeId> matching_ranges(const Activity& activity, const NamePattern& marker) {
  const HostRanges& h = activity.trace->host_ranges();
  std::vector<std::optional<bool>> known(activity.trace->data().strings.size());
  const auto matches = [&](RangeId range) {
    std::optional<bool>& match = known[h.name[range]];
    if (!match) match = marker.is_in(activity.name(range));
    return *match;
  };
  std::vector<RangeId> out;
  std::copy_if(activity.annotations.begin(), activity.annotations.end(), std::back_inserter(out),
               matches);
  if (!out.empty()) return out;
  for (ThreadId t = 0; t < activity.trace->data().threads.size(); ++t) {
    if (activity.trace->data().threads[t].process != activity.process) continue;
    const Rows rows = activity.trace->ranges_of(t);
    for (RangeId i = rows.begin; i < rows.end; ++i)
      if (matches(i)) out.push_back(i);
  }
  return out;
}

}  // namespace

Loop find_user_marks(const Activity& activity, const NamePattern& marker,
                     const std::string& pattern) {
  const std::vector<RangeId> ranges = matching_ranges(activity, marker);
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  Loop loop = loop_of(activity, marks, FoundBy::user_marker,
                      fmt::format("{} ranges that match '{}' on {}", marks.ranges.size(), pattern,
                                  thread_text(*activity.trace, marks.thread)));
  loop.confidence = 1;
  if (marks.left_out_threads > 0)
    loop.notes.push_back(
        fmt::format("ranges that match '{}' stand on {} other threads, too: left out", pattern,
                    marks.left_out_threads));
  return loop;
}

std::string annotation_names(const Trace& trace) {
  const HostRanges& h = trace.host_ranges();
  std::vector<std::uint64_t> count_by_name(trace.data().strings.size(), 0);
  for (RangeId i = 0; i < h.size(); ++i) {
    count_by_name[h.name[i]] += family_of(h.kind[i]) == HostFamily::annotation ? 1U : 0U;
  }
  std::map<std::string, std::uint64_t> by_stem;
  for (StringId name = 0; name < count_by_name.size(); ++name) {
    if (count_by_name[name] > 0)
      by_stem[split_number(trace.text(name)).stem] += count_by_name[name];
  }
  std::vector<std::pair<std::string, std::uint64_t>> names(by_stem.begin(), by_stem.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    text += fmt::format("{}'{}' ({}x)", i == 0 ? "" : ", ", names[i].first, names[i].second);
  }
  if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
  return text;
}

}  // namespace stepscope

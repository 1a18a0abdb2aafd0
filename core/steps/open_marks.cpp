// SPDX-License-Identifier: Apache-2.0
#include "core/steps/open_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>

#include "core/steps/finders/marks.hpp"
#include "core/steps/finders/named_range.hpp"
#include "core/steps/rows.hpp"
#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kTimesUsual = 4, kSilentParts = 20;  // a twentieth of the step
constexpr std::int64_t kLeast_ns = 10'000;  // shorter ones lose their length to whole microseconds

// Returns a step mark's name without its number; empty where the name marks no step.
std::string mark_stem(std::string_view name) {
  if (is_profiler_step(name)) return "ProfilerStep#";
  if (name.starts_with("Optimizer.step")) return std::string(name);
  const NameParts parts = split_number(name);
  return is_named_like_a_step(parts.stem) ? parts.stem : "";
}

using StemOfName = std::unordered_map<StringId, std::string>;

const std::string& stem_of(const Activity& activity, RangeId range, StemOfName& known) {
  const StringId name = activity.trace->host_ranges().name[range];
  const auto [at, is_new] = known.try_emplace(name);
  if (is_new) at->second = mark_stem(activity.name(range));
  return at->second;
}

struct Records {
  std::vector<std::int64_t>
      count;  // by step: records that begin in it, on any thread of the process
  std::vector<std::int64_t> silent;  // by step: for how long none begins at its end
};

Records records_of(const Trace& trace, const Steps& steps) {
  std::vector<std::int64_t> begins;
  const HostRanges& h = trace.host_ranges();
  for (RangeId range = 0; range < h.size(); ++range)
    if (!is_annotation(h.kind[range]) &&
        trace.data().threads[h.thread[range]].process == steps.process)
      begins.push_back(h.begin[range]);
  std::sort(begins.begin(), begins.end());
  Records out;
  for (const Step& step : steps.list) {
    const auto first = std::lower_bound(begins.begin(), begins.end(), step.host.begin);
    const auto behind = std::lower_bound(first, begins.end(), step.host.end);
    out.count.push_back(behind - first);
    out.silent.push_back(step.host.end - (behind == first ? step.host.begin : *(behind - 1)));
  }
  return out;
}

bool is_by_marks_of_others(const Trace& trace, const Steps& steps) {
  const bool by_marks =
      steps.found_by == FoundBy::profiler_step || steps.found_by == FoundBy::nvtx_step;
  return by_marks && trace.data().source != SourceKind::stepscope;
}

}  // namespace

void take_open_marks(Activity& activity) {
  const auto has_length = [&activity](RangeId range) { return !activity.time(range).empty(); };
  if (std::all_of(activity.annotations.begin(), activity.annotations.end(), has_length)) return;
  StemOfName stems;
  std::map<std::string, std::vector<std::int64_t>> lengths;
  for (const RangeId range : activity.annotations) {
    const std::string& stem = stem_of(activity, range, stems);
    if (!stem.empty() && has_length(range)) lengths[stem].push_back(activity.time(range).length());
  }
  std::erase_if(activity.annotations, [&](RangeId range) {
    if (has_length(range)) return false;
    const auto others = lengths.find(stem_of(activity, range, stems));
    if (others == lengths.end() || median(others->second) < kLeast_ns) return false;
    activity.open_marks.push_back(range);
    return true;
  });
}

void set_open_marks_aside(const Activity& activity, Steps& steps) {
  if (activity.open_marks.empty()) return;
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    const bool holds_one = std::any_of(
        activity.open_marks.begin(), activity.open_marks.end(),
        [&](RangeId range) { return stretch_of(steps, k).contains(activity.time(range).begin); });
    if (!holds_one) continue;
    set_aside(steps.list[k], "a mark without an end lies in it");
    ++left_out;
  }
  const std::size_t marks = activity.open_marks.size();
  std::string note = fmt::format("{} mark{} without an end ({}{}) end{} no step", marks,
                                 marks == 1 ? "" : "s", activity.name(activity.open_marks.front()),
                                 marks == 1 ? "" : ", ...", marks == 1 ? "s" : "");
  if (left_out > 0)
    note += fmt::format("; {} step{} in which one lies {} not counted", left_out,
                        left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
  steps.notes.push_back(std::move(note));
}

void set_missing_marks_aside(const Trace& trace, Steps& steps) {
  if (!is_by_marks_of_others(trace, steps) || steps.list.size() < 3) return;
  std::vector<std::int64_t> leaps;
  for (std::size_t k = 1; k < steps.list.size(); ++k)
    leaps.push_back(steps.list[k].id - steps.list[k - 1].id);
  const std::int64_t usual = *std::min_element(leaps.begin(), leaps.end());
  if (2 * std::count(leaps.begin(), leaps.end(), usual) < std::ssize(leaps)) return;
  std::vector<std::size_t> behind;
  for (std::size_t k = 1; k < steps.list.size(); ++k)
    if (leaps[k - 1] > usual && steps.list[k].steady) behind.push_back(k);
  if (behind.empty() || !set_aside_unless_all(steps, behind, "marks before it are missing")) return;
  const std::size_t first = behind.front();
  steps.notes.push_back(fmt::format(
      "marks of steps are missing, or another session begins (between {} and {}{}): {} step{} that "
      "may hold several, or what was not recorded, {} not counted",
      steps.list[first - 1].id, steps.list[first].id, behind.size() == 1 ? "" : ", ...",
      behind.size(), behind.size() == 1 ? "" : "s", behind.size() == 1 ? "is" : "are"));
}

void set_cut_mark_aside(const Trace& trace, Steps& steps) {
  if (!is_by_marks_of_others(trace, steps) || steps.list.size() < 2) return;
  const auto [count, silent] = records_of(trace, steps);
  Step& last = steps.list.back();
  const std::int64_t usual = *std::max_element(silent.begin(), silent.end() - 1);
  const std::int64_t fewest = *std::min_element(count.begin(), count.end() - 1);
  const bool is_cut = silent.back() > kTimesUsual * usual && count.back() < fewest &&
                      kSilentParts * silent.back() > last.host.length();
  if (!is_cut) return;
  last.steady = last.wall_known = false;
  last.why_not_steady = "records of it are missing";
  steps.notes.push_back(fmt::format(
      "the last mark outlasts the records by {}, as no other does: the trace was cut in its step, "
      "which is not counted",
      format_duration(static_cast<double>(silent.back()))));
}

}  // namespace stepscope

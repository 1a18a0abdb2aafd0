// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>

#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"
#include "core/steps/tail.hpp"
#include "core/steps/xla_ranges.hpp"

namespace stepscope {
namespace {

constexpr double kSureOfRuns = 0.9;

struct Executable {
  std::string_view name;
  ThreadId thread = 0;
  std::vector<RangeId> runs;
};

bool is_in_other_xla_range(const Trace& trace, RangeId range) {
  const HostRanges& h = trace.host_ranges();
  for (RangeId outer = h.parent[range]; outer != kNone; outer = h.parent[outer]) {
    if (is_annotation(h.kind[outer]) && is_xla_range(trace.text(h.name[outer]))) return true;
  }
  return false;
}

std::vector<Executable> executables_of(const Activity& activity) {
  std::map<std::pair<ThreadId, std::string_view>, std::vector<RangeId>> runs_of;
  for (const RangeId range : activity.xla_runs)
    if (!is_in_other_xla_range(*activity.trace, range))
      runs_of[{activity.thread(range), xla_executable(activity.name(range))}].push_back(range);
  std::vector<Executable> out;
  for (auto& [key, runs] : runs_of)
    if (runs.size() >= kFewestRepeats) out.push_back({key.second, key.first, std::move(runs)});
  return out;
}

bool is_named_like_evaluation(std::string_view module) {
  for (const std::string_view word : {"eval", "valid", "test", "predict", "metric"}) {
    if (module.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Loop find_executable_runs(const Activity& activity) {
  const std::vector<Executable> all = executables_of(activity);
  const Executable* best = nullptr;
  std::tuple<bool, double> most{false, -1};
  for (const Executable& executable : all) {
    const bool trains = !is_named_like_evaluation(xla_module(executable.name));
    const std::tuple key{trains, activity.share_in(times_of(activity, executable.runs))};
    if (key <= most) continue;
    most = key;
    best = &executable;
  }
  if (best == nullptr) return {};
  Loop loop{
      .found_by = FoundBy::executable,
      .how = fmt::format("{} runs of '{}' on {}, which hold {:.0f} % of the {}", best->runs.size(),
                         xla_module(best->name), thread_text(*activity.trace, best->thread),
                         100 * std::get<1>(most), noun_of(activity.work_kind)),
      .thread = best->thread,
      .evaluates = is_named_like_evaluation(xla_module(best->name))};
  for (const RangeId run : best->runs)
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), activity.time(run)});
  add_tail(activity, loop);
  // All work of such a program is in executables; what lies outside is another loop.
  loop.confidence = kSureOfRuns * (1 + activity.share_in(loop.time())) / 2;
  if (all.size() > 1)
    loop.notes.push_back(
        fmt::format("{} executables ran several times: name another one's runs with "
                    "--step-marker",
                    all.size()));
  return loop;
}

}  // namespace stepscope

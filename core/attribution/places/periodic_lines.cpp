// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/periodic_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

constexpr double kLeastShare = 0.01;
constexpr std::size_t kFewestSampled = 3;  // steps with a line that samples alone tell

using Function = std::pair<StringId, StringId>;              // file, function
using Line = std::tuple<StringId, StringId, std::uint32_t>;  // file, function, line
using StepRows = std::vector<std::uint32_t>;                 // rising

// A record or a sample of the loop's thread that has a line.
struct Seen {
  Interval time;
  std::uint32_t step = 0;
  Line line;
  bool is_record = false;
};

class SeenLines {
 public:
  SeenLines(const Trace& trace, const Steps& steps) : trace_(trace), steps_(steps) {
    const HostRanges& h = trace.host_ranges();
    const Rows rows = trace.ranges_of(steps.thread);
    for (RangeId r = rows.begin; r < rows.end; ++r) add({h.begin[r], h.end[r]}, h.site[r], true);
    const Samples& samples = trace.data().samples;
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (samples.thread[s] == steps.thread && (samples.flags[s] & kSampleWorker) == 0)
        add({samples.time[s], samples.time[s]}, samples.site[s], false);
    std::stable_sort(seen_.begin(), seen_.end(),
                     [](const Seen& a, const Seen& b) { return a.time.begin < b.time.begin; });
  }
  const std::vector<Seen>& all() const { return seen_; }

 private:
  void add(Interval time, SiteId site, bool is_record) {
    if (site == kNone || time.begin < steps_.list.front().host.begin) return;
    const auto step =
        std::upper_bound(steps_.list.begin(), steps_.list.end(), time.begin,
                         [](std::int64_t t, const Step& one) { return t < one.host.end; });
    if (step == steps_.list.end()) return;
    const Site& at = trace_.data().sites[site];
    seen_.push_back({time,
                     static_cast<std::uint32_t>(step - steps_.list.begin()),
                     {at.file, at.function, at.line},
                     is_record});
  }

  const Trace& trace_;
  const Steps& steps_;
  std::vector<Seen> seen_;
};

struct LineRuns {
  StepRows steps;
  bool has_record = false;
};

std::map<Line, LineRuns> runs_of(const std::vector<Seen>& seen) {
  std::map<Line, LineRuns> out;
  for (const Seen& one : seen) {
    LineRuns& runs = out[one.line];
    if (runs.steps.empty() || runs.steps.back() != one.step) runs.steps.push_back(one.step);
    runs.has_record = runs.has_record || one.is_record;
  }
  return out;
}

// Every n-th of so many steps, from the first n on to the last n; behind the last whole period the
// loop may do it once more.
bool is_periodic(const LineRuns& runs, std::size_t steps) {
  const StepRows& at = runs.steps;
  if (at.size() < (runs.has_record ? 2U : kFewestSampled)) return false;
  const std::uint32_t n = at[1] - at[0];
  if (n < 2 || at.front() > n || at.back() + n < steps) return false;
  for (std::size_t i = 2; i < at.size(); ++i) {
    const bool is_last = i + 1 == at.size() && at[i] + 1 == steps;
    if (at[i] - at[i - 1] != n && !is_last) return false;
  }
  return true;
}

Function function_of(const Line& line) {
  return {std::get<0>(line), std::get<1>(line)};
}

// The loop whose iterations the steps are (of the loops that come round where steps begin the
// outermost), and the loops around it, which stand before it.
std::vector<SiteId> nest_of_steps(const Trace& trace, const Steps& steps) {
  const LoopPositions& rows = trace.data().loop_positions;
  std::vector<SiteId> nest;  // the loops that the thread is in, outermost first
  std::map<std::vector<SiteId>, std::size_t> begins;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.thread[row] != steps.thread) continue;
    nest.resize(std::min<std::size_t>(nest.size(), rows.depth[row]));
    if (rows.loop[row] == kNone) continue;
    nest.push_back(rows.loop[row]);
    const auto at = std::lower_bound(
        steps.list.begin(), steps.list.end(), rows.time[row],
        [](const Step& step, std::int64_t time) { return step.host.begin < time; });
    if (at != steps.list.end() && at->host.begin == rows.time[row]) ++begins[nest];
  }
  const auto best =
      std::max_element(begins.begin(), begins.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, b.first.size()) < std::pair(b.second, a.first.size());
      });
  return best == begins.end() ? std::vector<SiteId>{} : best->first;
}

// The functions of these loops, the innermost first.
std::vector<Function> loop_functions(const Trace& trace, const Steps& steps) {
  const std::vector<SiteId> nest = nest_of_steps(trace, steps);
  std::vector<Function> out;
  for (auto loop = nest.rbegin(); loop != nest.rend(); ++loop) {
    const Site& at = trace.data().sites[*loop];
    const Function function{at.file, at.function};
    if (std::find(out.begin(), out.end(), function) == out.end()) out.push_back(function);
  }
  return out;
}

class Stretches {
 public:
  Stretches(const Trace& trace, const Steps& steps)
      : trace_(trace), steps_(steps), seen_(trace, steps), loops_(loop_functions(trace, steps)) {
    for (const auto& [line, runs] : runs_of(seen_.all()))
      if (is_periodic(runs, steps.list.size())) kinds_[line] = runs.steps;
  }

  std::vector<PeriodicStretch> find() {
    for (const Seen& one : seen_.all()) take(one);
    close();
    return worthwhile();
  }

 private:
  struct Open {
    const StepRows* kind;
    std::uint32_t step;
    PeriodicStretch stretch;
  };

  void take(const Seen& one) {
    const auto kind = kinds_.find(one.line);
    if (kind == kinds_.end()) {
      if (!loops_.empty() && function_of(one.line) == loops_.front()) close();
      return;
    }
    const bool goes_on = open_ && open_->step == one.step && *open_->kind == kind->second;
    if (!goes_on) {
      close();
      open_ = Open{&kind->second, one.step, {one.time, name_of(one.line)}};
    }
    open_->stretch.time.end = std::max(open_->stretch.time.end, one.time.end);
  }

  void close() {
    if (open_ && !open_->stretch.time.empty()) {
      by_name_[open_->stretch.name] += open_->stretch.time.length();
      found_.push_back(std::move(open_->stretch));
    }
    open_.reset();
  }

  std::string name_of(const Line& line) const {
    const auto& [file, function, number] = line;
    if (std::find(loops_.begin(), loops_.end(), function_of(line)) == loops_.end())
      return std::string(trace_.text(function));
    const std::string_view path = trace_.text(file);
    return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), number);
  }

  std::vector<PeriodicStretch> worthwhile() {
    const Interval loop{steps_.list.front().host.begin, steps_.list.back().host.end};
    const double least = kLeastShare * static_cast<double>(loop.length());
    std::erase_if(found_, [&](const PeriodicStretch& stretch) {
      return static_cast<double>(by_name_[stretch.name]) < least;
    });
    return std::move(found_);
  }

  const Trace& trace_;
  const Steps& steps_;
  SeenLines seen_;
  std::vector<Function> loops_;     // the functions of the steps' loop, first, and of those around
  std::map<Line, StepRows> kinds_;  // periodic lines
  std::optional<Open> open_;
  std::map<std::string, std::int64_t> by_name_;
  std::vector<PeriodicStretch> found_;
};

}  // namespace

std::vector<PeriodicStretch> periodic_stretches(const Trace& trace, const Steps& steps) {
  if (steps.found_by != FoundBy::loop_nest || steps.list.size() < 4) return {};
  return Stretches(trace, steps).find();
}

}  // namespace stepscope

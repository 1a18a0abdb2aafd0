// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/periodic_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr double kLeastShare = 0.01;
constexpr std::size_t kFewestSampled = 3;  // steps with a line that samples alone tell
constexpr double kLeastSeen = 0.5;         // share of its steps in which samples see such a line

using Function = std::pair<StringId, StringId>;  // file, function
using StepRows = std::vector<std::uint32_t>;     // rising

struct Line {
  StringId file, function;
  std::uint32_t number;
  bool is_behind;  // a line of the steps' own that runs once more behind them
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's own 0 for a pointer
  auto operator<=>(const Line&) const = default;
};

// The function in which a comprehension or a lambda is written: Python makes each a function of its
// own, "evaluate.<locals>.<genexpr>", which no one has named.
std::string_view written_function(std::string_view function) {
  constexpr std::string_view kInside = ".<locals>.<";
  while (function.ends_with('>')) {
    const std::size_t at = function.rfind(kInside);
    if (at == std::string_view::npos) break;
    function = function.substr(0, at);
  }
  return function;
}

Function function_of(const Line& line) {
  return {line.file, line.function};
}

// A record or a sample of the loop's thread that has a line. What lies between the records of two
// steps counts to the earlier one, whose last line may still run.
struct Seen {
  Interval time;
  std::uint32_t step = 0;
  Line line;
  bool is_record = false;
};

class SeenLines {
 public:
  // `loops`: loop_functions().
  SeenLines(const Trace& trace, const Steps& steps, const std::vector<Function>& loops)
      : trace_(trace), steps_(steps) {
    if (!loops.empty()) own_ = loops.front();
    const HostRanges& h = trace.host_ranges();
    const Rows rows = trace.ranges_of(steps.thread);
    for (RangeId r = rows.begin; r < rows.end; ++r) add({h.begin[r], h.end[r]}, h.site[r], true);
    const Samples& samples = trace.data().samples;
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (samples.thread[s] == steps.thread && (samples.flags[s] & kSampleWorker) == 0)
        add({samples.time[s], samples.time[s]}, samples.site[s], false);
    std::stable_sort(seen_.begin(), seen_.end(),
                     [](const Seen& a, const Seen& b) { return a.time.begin < b.time.begin; });
    unmark_others();
  }
  const std::vector<Seen>& all() const { return seen_; }

 private:
  void add(Interval time, SiteId site, bool is_record) {
    const auto& list = steps_.list;
    if (site == kNone || time.begin < list.front().host.begin || time.begin >= list.back().host.end)
      return;
    const auto next =
        std::upper_bound(list.begin(), list.end(), time.begin,
                         [](std::int64_t t, const Step& one) { return t < one.host.begin; });
    const Site& at = trace_.data().sites[site];
    Line line{at.file, at.function, at.line, false};
    line.is_behind = function_of(line) == own_ && is_behind(*(next - 1), time.begin);
    seen_.push_back({time, static_cast<std::uint32_t>(next - list.begin() - 1), line, is_record});
  }

  static bool is_behind(const Step& step, std::int64_t time) {
    return step.own_end != 0 && time >= step.own_end;
  }

  // A line that runs behind the steps alone needs no mark.
  void unmark_others() {
    std::set<Line> inside;
    for (const Seen& one : seen_)
      if (!one.line.is_behind) inside.insert(one.line);
    for (Seen& one : seen_) {
      Line unmarked = one.line;
      unmarked.is_behind = false;
      if (!inside.contains(unmarked)) one.line = unmarked;
    }
  }

  const Trace& trace_;
  const Steps& steps_;
  Function own_{kNone, kNone};  // has the steps' loop
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

struct Period {
  std::uint32_t n = 0;
  std::uint32_t first = 0;  // step, below n or n itself
  bool operator==(const Period&) const = default;
};

// Behind the last whole period the loop may do it once more, as its last step.
std::uint32_t common_distance(const StepRows& at, std::size_t steps) {
  std::uint32_t n = 0;
  for (std::size_t i = 1; i < at.size(); ++i) {
    const bool is_last = i > 1 && i + 1 == at.size() && at[i] + 1 == steps;
    if (!is_last) n = std::gcd(n, at[i] - at[i - 1]);
  }
  return n;
}

// Returns the period of a line that runs in every n-th of so many steps, from the first n on to the
// last n; the last step may lack it: what begins each iteration of a loop around does not follow the
// last of them. Records tell each time that it ran; samples may miss some.
std::optional<Period> period_of(const LineRuns& runs, std::size_t steps) {
  const StepRows& at = runs.steps;
  if (at.size() < (runs.has_record ? 2U : kFewestSampled)) return std::nullopt;
  const std::uint32_t n = common_distance(at, steps);
  if (n < 2) return std::nullopt;
  const std::uint32_t first = at.front() <= n ? at.front() : at.front() % n;
  const double times = std::ceil(static_cast<double>(steps - 1 - first) / n);
  const double least = runs.has_record ? 1 : kLeastSeen;
  if (static_cast<double>(at.size()) < least * times) return std::nullopt;
  return Period{n, first};
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
      : trace_(trace),
        steps_(steps),
        loops_(loop_functions(trace, steps)),
        seen_(trace, steps, loops_) {
    for (const auto& [line, runs] : runs_of(seen_.all()))
      if (const auto period = period_of(runs, steps.list.size())) kinds_[line] = *period;
  }

  std::vector<PeriodicStretch> find() {
    for (const Seen& one : seen_.all()) take(one);
    close();
    rename();
    return worthwhile();
  }

 private:
  struct Open {
    Period kind;
    std::uint32_t step;
    PeriodicStretch stretch;  // named after its first line
    std::string last = stretch.name;
    std::int64_t since = stretch.time.begin;  // when the last line ran first
  };

  void take(const Seen& one) {
    const auto kind = kinds_.find(one.line);
    if (kind == kinds_.end()) {
      if (!loops_.empty() && function_of(one.line) == loops_.front()) close();
      return;
    }
    const bool goes_on = open_ && open_->step == one.step && open_->kind == kind->second;
    if (!goes_on) {
      close();
      open_ = Open{kind->second, one.step, {one.time, name_of(one.line)}};
    }
    held_[open_->stretch.name][open_->last] += one.time.begin - open_->since;
    open_->last = name_of(one.line);
    open_->since = one.time.begin;
    open_->stretch.time.end = std::max(open_->stretch.time.end, one.time.end);
  }

  void close() {
    if (open_ && !open_->stretch.time.empty()) {
      held_[open_->stretch.name][open_->last] += open_->stretch.time.end - open_->since;
      found_.push_back(std::move(open_->stretch));
    }
    open_.reset();
  }

  // Stretches that begin alike are named after what holds most of their time.
  void rename() {
    std::map<std::string, std::string> names;
    for (const auto& [first, held] : held_) {
      const auto most =
          std::ranges::max_element(held, {}, &std::pair<const std::string, std::int64_t>::second);
      names[first] = most->second > held.at(first) ? most->first : first;
    }
    for (PeriodicStretch& stretch : found_) {
      stretch.name = names.at(stretch.name);
      by_name_[stretch.name] += stretch.time.length();
    }
  }

  std::string name_of(const Line& line) const {
    std::string name(written_function(trace_.text(line.function)));
    if (std::ranges::find(loops_, function_of(line)) == loops_.end()) return name;
    if (line.is_behind) return name + " after the steps";
    return fmt::format("{}:{}", short_file(trace_.text(line.file)), line.number);
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
  std::vector<Function> loops_;  // the functions of the steps' loop, first, and of those around
  SeenLines seen_;
  std::map<Line, Period> kinds_;  // periodic lines
  std::optional<Open> open_;
  std::map<std::string, std::map<std::string, std::int64_t>> held_;  // by the first line's name
  std::map<std::string, std::int64_t> by_name_;
  std::vector<PeriodicStretch> found_;
};

}  // namespace

std::vector<PeriodicStretch> periodic_stretches(const Trace& trace, const Steps& steps) {
  if (steps.found_by != FoundBy::loop_nest || steps.list.size() < 4) return {};
  return Stretches(trace, steps).find();
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/periodic_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/attribution/places/line_periods.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr double kLeastShare = 0.01;
using Function = std::pair<StringId, StringId>;  // file, function

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

class SeenLines {
 public:
  // `own`: the function that has the steps' loop and goes on behind it, in a loop around; or none.
  SeenLines(const Trace& trace, const Steps& steps, std::optional<Function> own)
      : trace_(trace), steps_(steps), own_(own) {
    const HostRanges& h = trace.host_ranges();
    const Rows rows = trace.ranges_of(steps.thread);
    for (RangeId r = rows.begin; r < rows.end; ++r) add({h.begin[r], h.end[r]}, h.site[r], true);
    const Samples& samples = trace.data().samples;
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (samples.thread[s] == steps.thread && (samples.flags[s] & kSampleWorker) == 0)
        add({samples.time[s], samples.time[s]}, samples.site[s], false);
    std::stable_sort(seen_.begin(), seen_.end(), [](const SeenLine& a, const SeenLine& b) {
      return a.time.begin < b.time.begin;
    });
    unmark_others();
  }
  const std::vector<SeenLine>& all() const { return seen_; }

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
    line.is_behind = own_ && function_of(line) == *own_ && is_behind(*(next - 1), time.begin);
    seen_.push_back({time, static_cast<std::uint32_t>(next - list.begin() - 1), line, is_record});
  }

  static bool is_behind(const Step& step, std::int64_t time) {
    return step.own_end != 0 && time >= step.own_end;
  }

  // A line that runs behind the steps alone needs no mark.
  void unmark_others() {
    std::set<Line> inside;
    for (const SeenLine& one : seen_)
      if (!one.line.is_behind) inside.insert(one.line);
    for (SeenLine& one : seen_) {
      Line unmarked = one.line;
      unmarked.is_behind = false;
      if (!inside.contains(unmarked)) one.line = unmarked;
    }
  }

  const Trace& trace_;
  const Steps& steps_;
  std::optional<Function> own_;
  std::vector<SeenLine> seen_;
};

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
std::vector<Function> loop_functions(const Trace& trace, const std::vector<SiteId>& nest) {
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
  // `nest`: nest_of_steps().
  Stretches(const Trace& trace, const Steps& steps, const std::vector<SiteId>& nest)
      : trace_(trace),
        steps_(steps),
        loops_(loop_functions(trace, nest)),
        seen_(trace, steps, nest.size() > 1 ? std::optional(loops_.front()) : std::nullopt),
        periods_(seen_.all(), steps.list.size()),
        silences_(seen_.all(), periods_) {}

  std::vector<PeriodicStretch> find() {
    if (!seen_.all().empty()) before_ = seen_.all().front().time.begin;
    for (const SeenLine& one : seen_.all()) take(one);
    close(before_);
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
    bool ends_in_sample = false;
    // Where what came behind the last of its lines began: a function of all steps, called by the stretch
    // or by the loop that goes on.
    std::optional<std::int64_t> until;

    bool is_last(std::int64_t end) const { return stretch.time.end == end; }
  };

  void take(const SeenLine& one) {
    const std::int64_t between = border_before(one);
    const Period* kind = periods_.at(one.line);
    if (kind == nullptr) {
      if (open_ && !open_->until) open_->until = between;
      if (!loops_.empty() && function_of(one.line) == loops_.front()) close(between);
    } else {
      add(one, *kind, between);
    }
    before_is_record_ = one.is_record;
    if (one.is_record) last_record_ = one.line;
    before_ = std::max(before_, one.time.end);
  }

  // Samples show neither where a stretch begins nor where it ends. What lies between a record and a
  // sample is the sample's, and half of what lies between two samples. Between two records it is the
  // second one's, unless samples of other steps show that the first one goes on.
  std::int64_t border_before(const SeenLine& one) {
    if (one.time.begin <= before_) return before_;
    if (before_is_record_) {
      const bool goes_on = open_ && open_->is_last(before_) && one.is_record &&
                           silences_.go_on_with(*last_record_, one.line);
      if (goes_on) open_->ends_in_sample = true;
      return goes_on ? one.time.begin : before_;
    }
    return one.is_record ? one.time.begin : before_ + (one.time.begin - before_) / 2;
  }

  void add(const SeenLine& one, Period kind, std::int64_t between) {
    const bool goes_on = open_ && open_->step == one.step && open_->kind == kind;
    if (!goes_on) {
      close(between);
      open_ = Open{kind, one.step, {one.time, name_of(one.line)}};
      if (!one.is_record) open_->stretch.time.begin = std::max(between, begin_of(one.step));
      open_->since = open_->stretch.time.begin;
    }
    held_[open_->stretch.name][open_->last] += one.time.begin - open_->since;
    open_->last = name_of(one.line);
    open_->since = one.time.begin;
    open_->ends_in_sample = !one.is_record;
    open_->until.reset();
    open_->stretch.time.end = std::max(open_->stretch.time.end, one.time.end);
  }

  std::int64_t begin_of(std::size_t step) const {
    return step == 0 ? steps_.list[0].host.begin : steps_.list[step - 1].host.end;
  }

  // What lies between the records of two steps counts to the earlier one here, as SeenLine has it.
  std::int64_t end_of(std::size_t step) const {
    const bool is_last = step + 1 == steps_.list.size();
    return is_last ? steps_.list[step].host.end : steps_.list[step + 1].host.begin;
  }

  void close(std::int64_t between) {
    if (open_ && open_->ends_in_sample)
      open_->stretch.time.end = std::max(
          open_->stretch.time.end, std::min(open_->until.value_or(between), end_of(open_->step)));
    if (open_ && !open_->stretch.time.empty()) {
      held_[open_->stretch.name][open_->last] += open_->stretch.time.end - open_->since;
      found_.push_back(std::move(open_->stretch));
    }
    open_.reset();
  }

  // Stretches that begin alike are named after what holds most of their time. Samples may begin a
  // stretch at what another of its kind holds further on: these are alike, too.
  void rename() {
    std::map<std::string, std::string>
        alike;  // by the first line's name: the one that stands for all
    for (const auto& [first, held] : held_) alike[first] = first;
    for (const auto& [first, held] : held_)
      for (const auto& [name, ns] : held)
        if (held_.contains(name)) join(first, name, alike);
    std::map<std::string, std::map<std::string, std::int64_t>> all;
    for (const auto& [first, held] : held_)
      for (const auto& [name, ns] : held) all[alike.at(first)][name] += ns;
    for (PeriodicStretch& stretch : found_) {
      const std::string& one = alike.at(stretch.name);
      const auto most = std::ranges::max_element(
          all.at(one), {}, &std::pair<const std::string, std::int64_t>::second);
      stretch.name = most->second > all.at(one)[one] ? most->first : one;
      by_name_[stretch.name] += stretch.time.length();
    }
  }

  static void join(const std::string& first, const std::string& name,
                   std::map<std::string, std::string>& alike) {
    const std::string one = alike.at(first), other = alike.at(name);
    for (auto& [each, stands_for] : alike)
      if (stands_for == other) stands_for = one;
  }

  std::string name_of(const Line& line) const {
    std::string name(written_function(trace_.text(line.function)));
    const bool is_of_a_loop = std::ranges::any_of(loops_, [&](const Function& loop) {
      return loop.first == line.file && trace_.text(loop.second) == name;
    });
    const bool has_no_name = name.starts_with('<');  // a comprehension of the module
    if (!is_of_a_loop && !has_no_name) return name;
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
  LinePeriods periods_;
  SilenceOwners silences_;
  std::int64_t before_ = 0;  // the end of what the thread was seen at before
  bool before_is_record_ = false;
  std::optional<Line> last_record_;
  std::optional<Open> open_;
  std::map<std::string, std::map<std::string, std::int64_t>> held_;  // by the first line's name
  std::map<std::string, std::int64_t> by_name_;
  std::vector<PeriodicStretch> found_;
};

}  // namespace

std::vector<PeriodicStretch> periodic_stretches(const Trace& trace, const Steps& steps) {
  if (steps.found_by != FoundBy::loop_nest || steps.list.size() < 4) return {};
  return Stretches(trace, steps, nest_of_steps(trace, steps)).find();
}

}  // namespace stepscope

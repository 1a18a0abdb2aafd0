// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/phases.hpp"

#include <algorithm>
#include <limits>
#include <regex>
#include <string_view>

#include "core/attribution/places/phase_names.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kLongestName = 512;  // std::regex recurses by the length of the text
// Deeper than this a program only leaks ranges: it pushes them and never pops.
constexpr std::size_t kDeepestPath = 64;
// From one operation to the next: more than Python and the framework take on the way.
constexpr std::int64_t kLongestWayNs = 500'000;

// A thread that nobody named carries its program's name, like the loop's thread.
std::string name_of_other(const Thread& thread, const Thread& loop) {
  return thread.name.empty() || thread.name == loop.name ? "other threads" : thread.name;
}

}  // namespace

PhaseTable::PhaseTable(const Trace& trace, const Steps& steps, const Threads& threads,
                       const ThreadCpu& cpu, const CollectiveWaits& waits,
                       const OptimizerWork& optimizer, std::optional<NamePattern> only)
    : trace_(trace),
      threads_(threads),
      cpu_(cpu),
      waits_(waits),
      only_(std::move(only)),
      optimizer_(optimizer),
      families_(trace, steps),
      torch_marks_(trace.data().strings.size()) {
  const std::vector<Thread>& all = trace.data().threads;
  bool any_user_phase = false;
  for (ThreadId t = 0; t < all.size(); ++t) {
    std::vector<UserRange> ranges = user_ranges(t);
    any_user_phase |= !ranges.empty();
    if (t == threads.loop() && !only_) add_periodic(periodic_stretches(trace, steps), ranges);
    user_.push_back(user_timeline(ranges));
    first_visit_.push_back(visits_.size());
  }
  for (ThreadId t = 0; t < all.size(); ++t) {
    marks_.push_back(any_user_phase && only_ ? Timeline{} : mark_timeline(t));
    const bool own_row = t != threads.loop() && !threads.is_worker(t);
    thread_name_.push_back(own_row ? intern(0, name_of_other(all[t], all[threads.loop()])) : 0);
  }
  // In a run with user phases, time outside them is not called "forward": nobody said so. Nor is a
  // run that has nothing behind it: generation, a solver, a library of its own.
  const bool trains = ids_.contains({0, "backward"}) || ids_.contains({0, "optimizer"});
  const auto known = ids_.find({0, "forward"});
  const PhaseId forward = (any_user_phase || !trains) && known != ids_.end() ? known->second : 0;
  for (Timeline& timeline : marks_) {
    for (Start& start : timeline) {
      if (forward != 0 && start.phase == forward) start.phase = 0;
    }
  }
  for (ThreadId worker : threads.workers()) graft_worker(worker);
}

// Only what the two threads were in at one time: both timelines are in order.
void PhaseTable::graft_worker(ThreadId worker) {
  const Timeline& own = user_[worker];
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].phase == 0) continue;
    const std::int64_t end =
        i + 1 < own.size() ? own[i + 1].begin : std::numeric_limits<std::int64_t>::max();
    for (std::int64_t t = own[i].begin; t < end; t = next_start(user_[threads_.loop()], t)) {
      const PhaseId caller = at(user_[threads_.loop()], t).phase;
      const auto [known, is_new] = grafted_.try_emplace({caller, own[i].phase}, 0);
      if (is_new) known->second = graft(caller, own[i].phase);
    }
  }
  for (std::size_t v = first_visit_[worker]; v < first_visit_[worker + 1]; ++v) {
    const PhaseId caller = at(user_[threads_.loop()], visits_[v].time.begin).phase;
    visits_[v].phase = graft(caller, visits_[v].phase);
  }
}

PhaseId PhaseTable::intern(PhaseId parent, const std::string& name) {
  const auto [at, is_new] = ids_.try_emplace({parent, name}, static_cast<PhaseId>(phases_.size()));
  if (is_new) phases_.push_back({name, parent});
  return at->second;
}

// The path of `own` below `parent`; a part that repeats the name above it is the same phase.
PhaseId PhaseTable::graft(PhaseId parent, PhaseId own) {
  if (own == 0) return parent;
  const PhaseId base = graft(parent, phases_[own].parent);
  const std::string name = phases_[own].name;
  return phases_[base].name == name ? base : intern(base, name);
}

// The path of `phase` from `base` on; all of it where base is not around it.
PhaseId PhaseTable::below(PhaseId phase, PhaseId base) {
  if (phase == 0 || phase == base) return 0;
  const std::string name = phases_[phase].name;
  return intern(below(phases_[phase].parent, base), name);
}

// Returns the phase by user ranges and marks; unlike at(), not by the thread's name.
PhaseId PhaseTable::said_at(Moment moment) const {
  const PhaseId user = user_at(moment.thread, moment.time).phase;
  return user != 0 ? user : at(marks_[moment.thread], moment.time).phase;
}

PhaseId PhaseTable::captured(Moment made, std::optional<Moment> capture_begin) {
  const PhaseId all = said_at(made);
  const PhaseId within = below(all, capture_begin ? said_at(*capture_begin) : 0);
  return within != 0 ? within : all;
}

// Marks around the launch do not count: they only guess, and the capture's say more.
PhaseId PhaseTable::inside(Moment launch, PhaseId captured) {
  return graft(user_at(launch.thread, launch.time).phase, captured);
}

bool PhaseTable::is_phase(RangeId range) {
  const HostRanges& h = trace_.host_ranges();
  if (family_of(h.kind[range]) != HostFamily::annotation || h.end[range] <= h.begin[range])
    return false;
  if (!only_ && is_library_domain(trace_.text(h.category[range]))) return false;
  const auto [known, is_new] = names_that_are_phases_.try_emplace(h.name[range], false);
  if (is_new)
    known->second = names_phase(std::string(trace_.text(h.name[range]).substr(0, kLongestName)));
  return known->second;
}

bool PhaseTable::names_phase(const std::string& name) const {
  if (only_) return only_->is_in(name);
  if (name.empty() || is_internal(name) || !torch_mark(name).empty()) return false;
  static const std::regex kStepName(
      R"(^(global[ _]?)?(train(ing)?[ _]?)?(step|iter|iteration|batch|epoch)s?[ _#:/\-]*\d*$)",
      std::regex::icase | std::regex::optimize);
  return !std::regex_match(name, kStepName);
}

std::vector<PhaseTable::UserRange> PhaseTable::user_ranges(ThreadId thread) {
  const HostRanges& h = trace_.host_ranges();
  const Rows rows = trace_.ranges_of(thread);
  std::vector<UserRange> out;
  for (RangeId r = rows.begin; r < rows.end; ++r)
    if (is_phase(r)) out.push_back({{h.begin[r], h.end[r]}, families_.name_of(h.name[r])});
  return out;
}

// Those that no range of the user's names.
void PhaseTable::add_periodic(const std::vector<PeriodicStretch>& stretches,
                              std::vector<UserRange>& ranges) {
  std::vector<Interval> times;
  for (const UserRange& range : ranges) times.push_back(range.time);
  const IntervalSet named = unite(std::move(times));
  for (const PeriodicStretch& stretch : stretches)
    if (clip(named, stretch.time).empty()) ranges.push_back({stretch.time, stretch.name});
  std::stable_sort(ranges.begin(), ranges.end(), [](const UserRange& a, const UserRange& b) {
    return a.time.begin < b.time.begin;
  });
}

// Pieces of the thread's stack of open phase ranges, each named by its path from the outermost in.
PhaseTable::Timeline PhaseTable::user_timeline(const std::vector<UserRange>& ranges) {
  std::vector<std::pair<std::int64_t, PhaseId>> open;  // end, phase of the path up to here
  Timeline timeline;
  const auto close_until = [&](std::int64_t t) {
    while (!open.empty()) {
      const std::int64_t first_end = std::min_element(open.begin(), open.end())->first;
      if (first_end > t) return;
      std::vector<std::pair<std::int64_t, std::string>> left;
      for (const auto& [end, phase] : open) {
        if (end > first_end) left.emplace_back(end, phases_[phase].name);
      }
      open.clear();
      PhaseId path = 0;
      for (const auto& [end, name] : left) {
        path = phases_[path].name == name ? path : intern(path, name);
        open.emplace_back(end, path);
      }
      timeline.push_back({first_end, path});
    }
  };
  for (const auto& [time, name] : ranges) {
    close_until(time.begin);
    const PhaseId above = open.empty() ? 0 : open.back().second;
    if (above != 0 && phases_[above].name == name) {
      open.back().first = std::max(open.back().first, time.end);
      continue;
    }
    if (open.size() == kDeepestPath) continue;
    const PhaseId path = intern(above, name);
    open.emplace_back(time.end, path);
    timeline.push_back({time.begin, path});
    visits_.push_back({path, time});
  }
  close_until(std::numeric_limits<std::int64_t>::max());
  return timeline;
}

std::string_view PhaseTable::mark_name(RangeId range) {
  if (optimizer_.is_scope(range)) return "optimizer";
  const HostRanges& h = trace_.host_ranges();
  std::optional<std::string_view>& mark = torch_marks_[h.name[range]];
  if (!mark) mark = torch_mark(trace_.text(h.name[range]));
  if (!mark->empty()) return *mark;
  if (h.kind[range] == HostKind::backward_node) return "backward";
  if (optimizer_.holds(range)) return "optimizer";
  const bool works = h.kind[range] == HostKind::op ||
                     (!trace_.collected().framework_ops && trace_.call_of(range) != kNone);
  return works ? "forward" : "";
}

// Returns marks by begin; only the outer of nested ones, and the earlier row of equal begins. An
// optimizer's step that has a closure begins where the closure ends, behind the rows of the
// closure: it waits until then.
std::vector<PhaseTable::Mark> PhaseTable::outermost_marks(ThreadId thread) {
  const HostRanges& h = trace_.host_ranges();
  const Rows rows = trace_.ranges_of(thread);
  std::vector<Mark> marks;
  std::multimap<std::int64_t, Mark> waiting;
  const auto add = [&marks](const Mark& mark) {
    if (marks.empty() || mark.begin >= marks.back().end) marks.push_back(mark);
  };
  const auto add_waiting = [&](std::int64_t until) {
    for (; !waiting.empty() && waiting.begin()->first <= until; waiting.erase(waiting.begin())) {
      Mark mark = waiting.begin()->second;
      // The engine's frame around the last node ends a little behind it.
      if (!marks.empty()) mark.begin = std::max(mark.begin, marks.back().end);
      if (mark.begin < mark.end) add(mark);
    }
  };
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (!waiting.empty()) add_waiting(h.begin[r]);
    const std::string_view name = mark_name(r);
    if (name.empty()) continue;
    const std::int64_t begin = optimizer_.is_scope(r) ? optimizer_.own_begin(r) : h.begin[r];
    const Mark mark{begin, h.end[r], name};
    if (begin > h.begin[r]) {
      waiting.emplace(begin, mark);
    } else {
      add(mark);
    }
  }
  add_waiting(std::numeric_limits<std::int64_t>::max());
  return marks;
}

// The time between two marks belongs to the later one: it is the host's way there.
// From when in the gap between two marks the thread is on its way to the later one.
std::int64_t PhaseTable::way_begin(ThreadId thread, Interval gap) const {
  if (thread != threads_.loop()) return gap.begin;
  const CollectiveWaits::Wait* wait = waits_.last_before(gap.end);
  return wait == nullptr ? gap.begin : std::max(gap.begin, std::min(wait->time.end, gap.end));
}

bool PhaseTable::is_way(ThreadId thread, Interval time) const {
  return thread != threads_.loop() || time.length() <= kLongestWayNs ||
         time.length() - cpu_.waited_ns(thread, time) <= kLongestWayNs;
}

PhaseTable::Timeline PhaseTable::mark_timeline(ThreadId thread) {
  Timeline timeline;
  std::int64_t covered_until = 0;
  for (const Mark& mark : outermost_marks(thread)) {
    const PhaseId phase = intern(0, std::string(mark.name));
    std::int64_t since =
        timeline.empty() ? mark.begin : way_begin(thread, {covered_until, mark.begin});
    if (!is_way(thread, {since, mark.begin})) {
      const PhaseId without_mark = intern(0, "forward");
      if (timeline.back().phase != without_mark) timeline.push_back({since, without_mark});
      since = mark.begin;
    }
    if (timeline.empty() || timeline.back().phase != phase) timeline.push_back({since, phase});
    covered_until = mark.end;
  }
  if (!timeline.empty()) timeline.push_back({covered_until, 0});
  return timeline;
}

std::int64_t PhaseTable::next_start(const Timeline& timeline, std::int64_t time) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), time,
                                      [](std::int64_t t, const Start& s) { return t < s.begin; });
  return after == timeline.end() ? std::numeric_limits<std::int64_t>::max() : after->begin;
}

PhaseTable::Stay PhaseTable::at(const Timeline& timeline, std::int64_t time) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), time,
                                      [](std::int64_t t, const Start& s) { return t < s.begin; });
  if (after == timeline.begin()) return {0, std::numeric_limits<std::int64_t>::min()};
  return {(after - 1)->phase, (after - 1)->begin};
}

PhaseTable::Stay PhaseTable::user_at(ThreadId thread, std::int64_t time) const {
  Stay stay = at(user_[thread], time);
  if (threads_.is_worker(thread)) {
    const Stay caller = at(user_[threads_.loop()], time);
    stay.since = std::max(stay.since, caller.since);
    stay.phase = stay.phase != 0 ? grafted_.at({caller.phase, stay.phase}) : caller.phase;
  }
  return stay;
}

PhaseTable::Stay PhaseTable::at(ThreadId thread, std::int64_t time) const {
  const Stay stay = user_at(thread, time);
  if (stay.phase != 0) return stay;
  const Stay marked = at(marks_[thread], time);
  return {marked.phase != 0 ? marked.phase : thread_name_[thread],
          std::max(stay.since, marked.since)};
}

}  // namespace stepscope

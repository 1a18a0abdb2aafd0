// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/diff_words.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::viewer {
namespace {

constexpr std::size_t kHistogramBins = 48;
constexpr float kLeastText = 0.7F;
constexpr float kMostText = 2.0F;
constexpr float kTextStep = 1.1F;

Interval shifted(Interval time, std::int64_t by) {
  return {time.begin + by, time.end + by};
}

// The name by which a comparison knows what owns the segment.
std::string operation_of(const Run& run, const Segment& segment) {
  const TraceData& data = run.trace.data();
  if (segment.device_evidence != kNone && is_device_busy(segment.cause))
    return std::string(run.trace.text(data.device_ops.name[segment.device_evidence]));
  if (segment.host_evidence == kNone) return "";
  return operation_name(run.trace.text(data.host_ranges.name[segment.host_evidence]),
                        is_annotation(data.host_ranges.kind[segment.host_evidence]));
}

}  // namespace

// What a row of the difference is about, as far as it says.
struct Desk::Wanted {
  std::optional<Cause> cause;
  std::optional<std::string> phase;
  std::string op;
  std::string function;

  // 0: another; more is nearer.
  int likeness(const Run& run, const Segment& segment) const {
    if (cause && segment.cause != *cause) return 0;
    const bool same_phase = phase && phase_path(run, segment.phase) == *phase;
    if (!cause && !same_phase) return 0;
    int out = 1;
    if (!op.empty() && operation_of(run, segment) == op) out += 4;
    if (same_phase) out += 2;
    if (!function.empty() && segment.site != kNone &&
        run.trace.text(run.trace.data().sites[segment.site].function) == function)
      out += 1;
    return out;
  }
};

Desk::Desk(Runs runs, const DeskOptions& options) : runs_(std::move(runs)) {
  for (const auto& run : runs_) sessions_.push_back(std::make_unique<Session>(*run));
  anchors_.resize(runs_.size());
  anchor_names_.resize(runs_.size());
  for (const auto& session : sessions_) seen_.push_back(session->viewport().span());
  if (runs_.size() < 2 || !runs_[0]->is_analysed || !runs_[1]->is_analysed) return;
  comparison_ = compare(runs_[0]->summary, runs_[1]->summary, {.anyway = options.anyway});
  if (comparison_->shown()) groups_ = group_parts(comparison_->parts);
}

void Desk::take_over(const Desk& before) {
  for (std::size_t i = 0; i < sides(); ++i) sessions_[i]->take_over(before.side(i));
  active_ = before.active_;
  kernel_grouping = before.kernel_grouping;
  keys_shown = before.keys_shown;
  palette_shown = before.palette_shown;
  light = before.light;
  search_wanted = before.search_wanted;
  quit_wanted = before.quit_wanted;
  panels = before.panels;
  text_scale = before.text_scale;
  notice = before.notice;
  generation_ = before.generation_ + 1;
  revision_ = before.revision_;
  for (std::size_t i = 0; i < sides(); ++i) seen_[i] = sessions_[i]->viewport().span();
}

void Desk::open() {
  for (const auto& session : sessions_) session->open();
  align_at_steps();
  if (!comparison_) {
    sentence_ = active().sentence();
    return;
  }
  sentence_ = diff_sentence(*comparison_);
  if (!comparison_->shown() && !comparison_->why_not.empty())
    sentence_ = "Not comparable: " + comparison_->why_not.front();
}

void Desk::apply(Command command) {
  switch (command) {
    case Command::next_step:
    case Command::previous_step:
      return step_to(command);
    case Command::align_step:
      return align_at_steps();
    case Command::align_phase:
      return align_at_phase();
    case Command::measure_selection:
      return measure_selection();
    case Command::other_run:
      active_ = (active_ + 1) % sides();
      return;
    case Command::search:
      search_wanted = true;
      return;
    case Command::palette:
      palette_shown = !palette_shown;
      return;
    case Command::copy:
      copy_wanted = true;
      return;
    case Command::quit:
      quit_wanted = true;
      return;
    case Command::toggle_keys:
      keys_shown = !keys_shown;
      return;
    case Command::toggle_theme:
      light = !light;
      return;
    case Command::larger_text:
      text_scale = std::min(kMostText, text_scale * kTextStep);
      return;
    case Command::smaller_text:
      text_scale = std::max(kLeastText, text_scale / kTextStep);
      return;
    case Command::clear:
      notice.clear();
      if (palette_shown || keys_shown) {
        palette_shown = keys_shown = false;
        return;
      }
      for (const auto& session : sessions_) session->apply(command);
      return;
    default:
      active().apply(command);
      return follow();
  }
}

// Both sides go on, each in its own steps.
void Desk::step_to(Command command) {
  for (const auto& session : sessions_) session->apply(command);
  align_at_steps();
  tell_step();
}

// Describes the chosen step. With two runs, the sentence stays the one about their difference.
void Desk::tell_step() {
  notice.clear();
  const auto step = active().step();
  if (!comparison_ && step) sentence_ = step_sentence(active().run(), *step);
}

void Desk::go_to_step(std::size_t side, std::uint32_t row) {
  activate(side);
  sessions_[side]->go_to_step(row);
  align_at_steps();
  tell_step();
}

void Desk::align_at_steps() {
  for (auto& anchor : anchors_) anchor.reset();
  std::size_t longest = active_;
  if (sides() == 2) {
    const auto length = [&](std::size_t i) { return sessions_[i]->viewport().span().length(); };
    longest = length(0) >= length(1) ? 0 : 1;  // neither step is cut
  }
  lead_from(longest);
}

std::int64_t Desk::zero(std::size_t side) const {
  if (anchors_[side]) return *anchors_[side];
  const auto step = sessions_[side]->step();
  return step ? run(side).steps.list[*step].window.begin : run(side).trace.begin();
}

std::string Desk::zero_text(std::size_t side) const {
  const auto step = sessions_[side]->step();
  const std::string own =
      step ? fmt::format("step {}", run(side).steps.list[*step].id) : "the start";
  return anchors_[side] ? fmt::format("{} of {}", anchor_names_[side], own) : own;
}

void Desk::lead_from(std::size_t leader) {
  const Interval span = sessions_[leader]->viewport().span();
  for (std::size_t i = 0; i < sides(); ++i) {
    if (i != leader) {
      sessions_[i]->viewport().remember(0);
      sessions_[i]->viewport().show(shifted(span, zero(i) - zero(leader)));
    }
    seen_[i] = sessions_[i]->viewport().span();
  }
}

void Desk::follow() {
  for (std::size_t i = 0; i < sides(); ++i) {
    if (sessions_[i]->viewport().span() != seen_[i]) return lead_from(i);
  }
}

// The visit of the event's phase that it is in; on another side the first of that name in its step.
std::optional<Interval> Desk::visit_like(std::size_t side, EventRef event) const {
  const Run& from = run(active_);
  const std::string path = phase_path(from, phase_of(from, event));
  const Run& own = run(side);
  const auto step = sessions_[side]->step();
  const Interval within =
      step ? own.steps.list[*step].window : Interval{own.trace.begin(), own.trace.end()};
  const std::int64_t at = time_of(from, event).begin;
  std::optional<Interval> first;
  for (const PhaseVisit& visit : own.phase_stays) {
    if (phase_path(own, visit.phase) != path) continue;
    if (side == active_ && visit.time.begin <= at && at <= visit.time.end) return visit.time;
    if (!first && within.contains(visit.time.begin)) first = visit.time;
  }
  return first;
}

void Desk::align_at_phase() {
  const auto event = active().selected_event();
  if (!event || phase_of(run(active_), *event) == 0) {
    notice = "Select an event of a phase to align the runs there.";
    return;
  }
  std::vector<Interval> visits;
  for (std::size_t i = 0; i < sides(); ++i) {
    const auto visit = visit_like(i, *event);
    if (!visit) {
      notice = fmt::format("The step of {} has no such phase.", i == 0 ? "A" : "B");
      return;
    }
    visits.push_back(*visit);
  }
  for (std::size_t i = 0; i < sides(); ++i) {
    anchors_[i] = visits[i].begin;
    anchor_names_[i] = phase_path(run(active_), phase_of(run(active_), *event));
  }
  lead_from(active_);
}

void Desk::measure(std::size_t side, Interval range) {
  for (std::size_t i = 0; i < sides(); ++i)
    sessions_[i]->measure(shifted(range, zero(i) - zero(side)));
}

// Measures the selected event. For a step or a phase, its counterpart on the other side is measured
// too, which may be longer or shorter.
void Desk::measure_selection() {
  const auto event = active().selected_event();
  if (!event) return;
  measure(active_, time_of(run(active_), *event));
  for (std::size_t i = 0; i < sides(); ++i) {
    const auto step = sessions_[i]->step();
    if (i == active_) continue;
    if (event->kind == EventKind::step && step)
      sessions_[i]->measure(run(i).steps.list[*step].window);
    const bool phase = event->kind == EventKind::phase_stay;
    if (const auto visit = phase ? visit_like(i, *event) : std::nullopt)
      sessions_[i]->measure(*visit);
  }
}

void Desk::show_group(std::size_t index) {
  chosen_group_ = index;
  std::vector<Wanted> wanted;
  for (const DeltaPart* part : groups_[index].parts)
    wanted.push_back({part->cause, part->phase, part->op, part->function});
  show_wanted(wanted, std::string(name_of(groups_[index].largest().cause)));
}

void Desk::show_cause(Cause cause) {
  show_wanted({{cause, std::nullopt, "", ""}}, std::string(name_of(cause)));
}

void Desk::show_phase(const std::string& path) {
  show_wanted({{std::nullopt, path, "", ""}}, path);
}

void Desk::show_wanted(const std::vector<Wanted>& wanted, const std::string& what) {
  notice.clear();
  std::optional<Interval> around;  // time around what was found, counted from the anchors
  for (std::size_t i = 0; i < sides(); ++i) {
    const Run& own = run(i);
    const auto step = sessions_[i]->step();
    const Interval within =
        step ? own.steps.list[*step].window : Interval{own.trace.begin(), own.trace.end()};
    std::optional<std::uint32_t> best;
    int likest = 0;
    const std::vector<Segment>& segments = own.attribution.process.segments;
    for (std::uint32_t s = 0; s < segments.size(); ++s) {
      if (intersect(segments[s].time, within).empty()) continue;
      int likeness = 0;
      for (const Wanted& one : wanted)
        likeness = std::max(likeness, one.likeness(own, segments[s]));
      const bool longer = best && segments[s].time.length() > segments[*best].time.length();
      if (likeness == 0 || likeness < likest || (likeness == likest && !longer)) continue;
      likest = likeness;
      best = s;
    }
    anchors_[i].reset();
    if (!best) {
      sessions_[i]->apply(Command::clear);
      notice += fmt::format("{}{} has none of {} in the step that is shown.",
                            notice.empty() ? "" : " ", i == 0 ? "A" : "B", what);
      continue;
    }
    sessions_[i]->select(EventRef{EventKind::segment, *best});
    anchors_[i] = segments[*best].time.begin;
    anchor_names_[i] = what;
    const Interval own_time = shifted(segments[*best].time, -segments[*best].time.begin);
    around = around ? Interval{std::min(around->begin, own_time.begin),
                               std::max(around->end, own_time.end)}
                    : own_time;
  }
  if (!around) return lead_from(active_);
  const std::size_t leader = anchors_[active_] ? active_ : (active_ + 1) % sides();
  sessions_[leader]->viewport().fit(shifted(*around, zero(leader)), 1.0);
  lead_from(leader);
}

void Desk::show_finding(std::size_t index) {
  const auto& findings = active().run().summary.findings;
  if (!findings || index >= findings->found.size()) return;
  next_evidence_ = chosen_finding_ == index ? next_evidence_ + 1 : 0;
  chosen_finding_ = index;
  const std::vector<std::string>& evidence = findings->found[index].evidence;
  notice.clear();
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const std::string& id = evidence[(next_evidence_ + i) % evidence.size()];
    const auto event = event_named(active().run(), id);
    if (!event || !active().jump(*event)) continue;
    anchors_[active_].reset();
    if (!comparison_)
      sentence_ = findings->found[index].id + ": " + findings->found[index].title + ".";
    return follow();
  }
  notice = "This finding is about the whole run: no single event shows it.";
}

void Desk::choose_kernel(const std::string& name) {
  KernelLengths out{name, {}, {}};
  std::vector<std::vector<std::int64_t>> sets;
  for (std::size_t i = 0; i < sides(); ++i) {
    sets.push_back(op_lengths(run(i).trace, run(i).summary, name));
    out.sides.push_back(spread_of(sets.back()));
  }
  out.histogram = histogram_of(sets, kHistogramBins);
  kernel_ = std::move(out);
}

Status Desk::pick_rank(std::int32_t rank) {
  RunOptions options = active().run().options;
  options.rank = rank;
  options.pid.reset();
  options.job = active().run().job;
  auto other = analyse(active().run().trace, options);
  if (!other) return other.error();
  const Session& before = active();
  auto run = std::make_shared<const Run>(std::move(*other));
  auto session = std::make_unique<Session>(*run);
  for (const Mark& mark : before.marks()) session->add_mark(mark);
  session->open();
  runs_[active_] = std::move(run);
  sessions_[active_] = std::move(session);
  chosen_finding_.reset();
  kernel_.reset();
  ++generation_;
  if (comparison_) {
    comparison_ = compare(runs_[0]->summary, runs_[1]->summary, {.anyway = comparison_->anyway});
    groups_ = comparison_->shown() ? group_parts(comparison_->parts) : std::vector<DeltaGroup>();
    chosen_group_.reset();
  } else {
    sentence_ = active().sentence();
  }
  align_at_steps();
  return Done{};
}

}  // namespace stepscope::viewer

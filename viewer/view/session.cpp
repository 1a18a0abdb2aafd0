// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/session.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "viewer/view/details.hpp"

namespace stepscope::viewer {
namespace {

constexpr double kZoom = 0.8;
constexpr double kPan = 0.15;

Interval whole_of(const Run& run) {
  return {run.trace.begin(), run.trace.end()};
}

bool holds(std::string_view name, const std::string& lower) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(name.begin(), name.end(), lower.begin(), lower.end(), same) != name.end();
}

std::int64_t middle(Interval time) {
  return time.begin + time.length() / 2;
}

}  // namespace

Session::Session(const Run& run) : run_(run), lanes_(build_lanes(run)), viewport_(whole_of(run)) {
  collapsed.assign(lanes_.size(), false);
  pinned.assign(lanes_.size(), false);
  hidden.assign(lanes_.size(), false);
  resting.assign(lanes_.size(), false);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t rows = lanes_[i].rows.size();
    collapsed[i] = lanes_[i].is_aside ? rows > 1 : lanes_[i].kind == LaneKind::python && rows > 4;
  }
}

void Session::apply(Command command) {
  const Interval span = viewport_.span();
  const auto pan = static_cast<std::int64_t>(kPan * static_cast<double>(span.length()));
  if (command <= Command::next_match)
    viewport_.remember(command <= Command::pan_right ? 1 + static_cast<int>(command) : 0);
  switch (command) {
    case Command::zoom_in:
      return viewport_.zoom(pointed.value_or(middle(span)), kZoom);
    case Command::zoom_out:
      return viewport_.zoom(pointed.value_or(middle(span)), 1 / kZoom);
    case Command::pan_left:
      return viewport_.pan(-pan);
    case Command::pan_right:
      return viewport_.pan(pan);
    case Command::fit_all:
      return viewport_.fit(viewport_.whole());
    case Command::fit_selection:
      return fit_selection();
    case Command::next_event:
      return event_to(1);
    case Command::previous_event:
      return event_to(-1);
    case Command::back:
      if (const auto event = selected_event()) follow(led_to_by(run_, *event));
      return;
    case Command::forward:
      if (const auto event = selected_event()) follow(leads_to(run_, *event));
      return;
    case Command::next_step:
      return step_to(1);
    case Command::previous_step:
      return step_to(-1);
    case Command::zoom_to_measured:
      if (measured_) viewport_.fit(*measured_, 0);
      return;
    case Command::next_match:
      return next_match();
    case Command::undo:
      viewport_.undo();
      return;
    case Command::measure_selection:
      if (const auto event = selected_event()) measured_ = time_of(run_, *event);
      return;
    case Command::mark:
      return mark();
    case Command::pin_lane:
      return toggle_lane(pinned);
    case Command::hide_lane:
      return toggle_lane(hidden);
    case Command::show_lanes:
      hidden.assign(lanes_.size(), false);
      return;
    case Command::clear:
      selected_.reset();
      measured_.reset();
      return search("");
    default:
      return;  // the screen's commands
  }
}

// In the middle, as it is; where it is there already, in full width.
void Session::fit_selection() {
  const auto event = selected_event();
  if (!event) return;
  const Interval time = time_of(run_, *event);
  const Interval span = viewport_.span();
  const std::int64_t off = middle(time) - middle(span);
  const bool centred = std::abs(off) <= span.length() / 500 || time.length() > span.length();
  if (centred) return viewport_.fit(time, 0.25);
  viewport_.pan(off);
  const bool at_the_edge = viewport_.span() == span;  // as near to the middle as the run allows
  if (at_the_edge) viewport_.fit(time, 0.25);
}

void Session::follow(const std::optional<EventRef>& to) {
  if (to) select(*to);
}

void Session::mark() {
  if (measured_) return add_mark({*measured_, "range"});
  if (const auto event = selected_event())
    return add_mark({time_of(run_, *event), label_of(run_, *event)});
  const std::int64_t at = middle(viewport_.span());
  add_mark({{at, at}, "mark"});
}

void Session::add_mark(Mark mark) {
  const auto later = [](const Mark& a, const Mark& b) { return a.time.begin < b.time.begin; };
  marks_.insert(std::upper_bound(marks_.begin(), marks_.end(), mark, later), std::move(mark));
}

void Session::go_to(Interval time) {
  viewport_.remember(0);
  if (time.empty()) return viewport_.reveal(time);
  viewport_.fit(time, 0.5);
}

void Session::take_over(const Session& before) {
  marks_ = before.marks_;
  measured_ = before.measured_;
  pointed = before.pointed;
  if (!before.search_text_.empty()) search(before.search_text_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::string name = lanes_[i].name();
    for (std::size_t j = 0; j < before.lanes_.size(); ++j) {
      if (before.lanes_[j].name() != name) continue;
      pinned[i] = before.pinned[j];
      hidden[i] = before.hidden[j];
    }
  }
  if (const auto event = before.selected_event()) select(*event);
  const bool moved = before.viewport_.span() != Viewport(whole_of(run_)).span();
  if (moved) viewport_.show(before.viewport_.span());
}

void Session::toggle_lane(std::vector<bool>& flags) {
  if (!selected_) return;
  flags[selected_->lane] = !flags[selected_->lane];
}

std::vector<std::uint32_t> Session::shown_lanes() const {
  std::vector<std::uint32_t> out;
  for (const bool first : {true, false}) {
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      if (!hidden[i] && pinned[i] == first) out.push_back(i);
    }
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> Session::shown_lines() const {
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> at_rest;
  std::string group;
  const auto end_group = [&] {
    if (!at_rest.empty()) out.push_back(std::move(at_rest));
    at_rest.clear();
  };
  for (const std::uint32_t lane : shown_lanes()) {
    if (lanes_[lane].group != group) end_group();
    group = lanes_[lane].group;
    if (resting[lane] && !pinned[lane]) {
      at_rest.push_back(lane);
    } else {
      out.push_back({lane});
    }
  }
  end_group();
  return out;
}

std::size_t Session::hidden_lanes() const {
  return static_cast<std::size_t>(std::count(hidden.begin(), hidden.end(), true));
}

bool Session::jump(EventRef event) {
  if (!select(event)) return false;
  const Interval time = time_of(run_, event);
  const auto& steps = run_.steps.list;
  const auto inside = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.window.contains(time.begin);
  });
  if (inside != steps.end()) step_ = static_cast<std::uint32_t>(inside - steps.begin());
  const Interval around = inside != steps.end() ? inside->window : viewport_.whole();
  // A fortieth of the width or the whole step, whichever is closer.
  if (40 * time.length() < around.length()) {
    viewport_.fit(time, 20);
  } else {
    viewport_.fit(around);
  }
  return true;
}

void Session::wheel(std::int64_t about, double factor) {
  viewport_.remember(100);
  viewport_.zoom(about, factor);
}

void Session::drag(std::int64_t ns) {
  viewport_.remember(101);
  viewport_.pan(ns);
}

void Session::zoom_to(Interval range, bool out) {
  viewport_.remember(0);
  const Interval span = viewport_.span();
  if (!out) return viewport_.fit(range, 0);
  const double factor = static_cast<double>(span.length()) /
                        static_cast<double>(std::max<std::int64_t>(1, range.length()));
  viewport_.zoom(middle(range), factor);
}

void Session::fill_with_selection() {
  viewport_.remember(0);
  if (const auto event = selected_event()) viewport_.fit(time_of(run_, *event), 0.25);
}

void Session::select(Spot spot) {
  selected_ = spot;
  resting[spot.lane] = false;
  if (lanes_[spot.lane].events == EventKind::step) step_ = selected_event()->id;
}

bool Session::select(EventRef event) {
  const auto spot = find_spot(run_, lanes_, event);
  if (!spot) return false;
  viewport_.remember(0);
  select(*spot);
  viewport_.reveal(time_of(run_, event));
  return true;
}

std::optional<EventRef> Session::selected_event() const {
  if (!selected_) return std::nullopt;
  return event_at(*selected_);
}

void Session::event_to(int direction) {
  if (!selected_) return;
  const Row& row = lanes_[selected_->lane].rows[selected_->row];
  const std::int64_t next = static_cast<std::int64_t>(selected_->index) + direction;
  if (next < 0 || next >= static_cast<std::int64_t>(row.size())) return;
  select({selected_->lane, selected_->row, static_cast<std::uint32_t>(next)});
  viewport_.reveal(row.time(selected_->index));
}

void Session::step_to(int direction) {
  const auto count = static_cast<std::int64_t>(run_.steps.list.size());
  if (count == 0) return;
  const std::int64_t next = step_ ? static_cast<std::int64_t>(*step_) + direction : 0;
  go_to_step(static_cast<std::uint32_t>(std::clamp<std::int64_t>(next, 0, count - 1)));
}

void Session::go_to_step(std::uint32_t row) {
  step_ = row;
  viewport_.fit(run_.steps.list[row].window);
}

std::int64_t Session::snap(std::uint32_t lane, std::int64_t t, std::int64_t tolerance) const {
  std::int64_t best = t;
  std::int64_t distance = tolerance + 1;
  const auto consider = [&](std::int64_t edge) {
    if (std::abs(edge - t) >= distance) return;
    distance = std::abs(edge - t);
    best = edge;
  };
  for (const Row& row : lanes_[lane].rows) {
    const std::uint32_t at = row.first_ending_after(t);
    for (std::uint32_t i = at > 0 ? at - 1 : 0; i < std::min<std::size_t>(row.size(), at + 2UL);
         ++i) {
      consider(row.time(i).begin);
      consider(row.time(i).end);
    }
  }
  return best;
}

bool Session::is_lit_op(DeviceOpId op) const {
  return lit_[run_.trace.data().device_ops.name[op]] || lit_class_[index_of(run_.op_classes[op])];
}

bool Session::is_lit(EventRef event) const {
  if (lit_.empty()) return true;
  const TraceData& data = run_.trace.data();
  if (event.kind == EventKind::host_range) return lit_[data.host_ranges.name[event.id]];
  if (event.kind == EventKind::device_op) return is_lit_op(event.id);
  return holds(name_of(run_, event), search_text_);
}

void Session::search(const std::string& text) {
  search_text_ = text;
  std::transform(text.begin(), text.end(), search_text_.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  lit_.clear();
  matches_.clear();
  if (text.empty()) return;
  const TraceData& data = run_.trace.data();
  lit_.resize(data.strings.size());
  for (StringId id = 0; id < lit_.size(); ++id)
    lit_[id] = holds(data.strings.view(id), search_text_);
  for (std::size_t i = 0; i < kCauseCount; ++i)
    lit_class_[i] = holds(name_of(static_cast<Cause>(i)), search_text_);
  for (std::uint32_t i = 0; i < data.device_ops.size(); ++i) {
    if (is_lit_op(i)) matches_.push_back({EventKind::device_op, i});
  }
  for (std::uint32_t i = 0; i < data.host_ranges.size(); ++i) {
    if (lit_[data.host_ranges.name[i]]) matches_.push_back({EventKind::host_range, i});
  }
  std::stable_sort(matches_.begin(), matches_.end(), [&](EventRef a, EventRef b) {
    return time_of(run_, a).begin < time_of(run_, b).begin;
  });
}

// The first match is the first one behind the middle of the screen; later calls go from match to
// match.
void Session::next_match() {
  if (matches_.empty()) return;
  const auto from =
      selected_event() ? time_of(run_, *selected_event()).begin : middle(viewport_.span());
  const auto is_before = [&](EventRef event, std::int64_t t) {
    return time_of(run_, event).begin < t;
  };
  auto at = std::lower_bound(matches_.begin(), matches_.end(), from, is_before);
  const auto current = selected_event();
  while (at != matches_.end() && time_of(run_, *at).begin == from) {
    const bool was = current && *at == *current;
    ++at;
    if (was) break;
  }
  if (at == matches_.end()) at = matches_.begin();
  select(*at);
}

}  // namespace stepscope::viewer

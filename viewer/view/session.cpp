// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/session.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

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

const std::vector<KeyBinding>& key_bindings() {
  static const std::vector<KeyBinding> bindings = {
      {'w', nullptr, Command::zoom_in, "come closer"},
      {'s', nullptr, Command::zoom_out, "step back"},
      {'a', nullptr, Command::pan_left, "move left"},
      {'d', nullptr, Command::pan_right, "move right"},
      {0, "Right", Command::pan_right, "move right"},
      {0, "Left", Command::pan_left, "move left"},
      {'0', nullptr, Command::fit_all, "show the whole run"},
      {0, "Home", Command::fit_all, "show the whole run"},
      {'f', nullptr, Command::fit_selection, "show the selected event in full width"},
      {'.', nullptr, Command::next_event, "next event of the row"},
      {',', nullptr, Command::previous_event, "event before"},
      {'j', nullptr, Command::next_step, "next step"},
      {'k', nullptr, Command::previous_step, "step before"},
      {'r', nullptr, Command::measure_selection, "measure over the selected event"},
      {'z', nullptr, Command::zoom_to_measured, "zoom to the measured range"},
      {'/', nullptr, Command::search, "search by name: what matches stays lit"},
      {'n', nullptr, Command::next_match, "next match"},
      {0, "Backspace", Command::undo, "undo the last move"},
      {'t', nullptr, Command::toggle_theme, "light or dark"},
      {0, "Esc", Command::clear, "let go of selection, range and search"},
      {'?', nullptr, Command::toggle_keys, "this list"},
  };
  return bindings;
}

std::optional<Command> command_of(char key) {
  for (const KeyBinding& binding : key_bindings()) {
    if (binding.key != 0 && binding.key == key) return binding.command;
  }
  return std::nullopt;
}

std::optional<Command> command_named(std::string_view key_name) {
  for (const KeyBinding& binding : key_bindings()) {
    if (binding.name != nullptr && key_name == binding.name) return binding.command;
  }
  return std::nullopt;
}

Session::Session(const Run& run) : run_(run), lanes_(build_lanes(run)), viewport_(whole_of(run)) {
  collapsed.assign(lanes_.size(), false);
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    collapsed[i] = lanes_[i].kind == LaneKind::python && lanes_[i].rows.size() > 4;
}

void Session::apply(Command command) {
  const Interval span = viewport_.span();
  const auto pan = static_cast<std::int64_t>(kPan * static_cast<double>(span.length()));
  const bool moves = command <= Command::previous_step || command == Command::zoom_to_measured;
  if (moves) viewport_.remember(command <= Command::pan_right ? 1 + static_cast<int>(command) : 0);
  switch (command) {
    case Command::zoom_in:
      return viewport_.zoom(middle(span), kZoom);
    case Command::zoom_out:
      return viewport_.zoom(middle(span), 1 / kZoom);
    case Command::pan_left:
      return viewport_.pan(-pan);
    case Command::pan_right:
      return viewport_.pan(pan);
    case Command::fit_all:
      return viewport_.fit(viewport_.whole());
    case Command::fit_selection:
      if (const auto event = selected_event()) viewport_.fit(time_of(run_, *event), 0.25);
      return;
    case Command::next_event:
      return event_to(1);
    case Command::previous_event:
      return event_to(-1);
    case Command::next_step:
      return step_to(1);
    case Command::previous_step:
      return step_to(-1);
    case Command::measure_selection:
      if (const auto event = selected_event()) measured_ = time_of(run_, *event);
      return;
    case Command::zoom_to_measured:
      if (measured_) viewport_.fit(*measured_, 0);
      return;
    case Command::next_match:
      return next_match();
    case Command::undo:
      viewport_.undo();
      return;
    case Command::search:
      search_wanted = true;
      return;
    case Command::clear:
      if (keys_shown) {
        keys_shown = false;
        return;
      }
      selected_.reset();
      measured_.reset();
      return search("");
    case Command::toggle_keys:
      keys_shown = !keys_shown;
      return;
    case Command::toggle_theme:
      light = !light;
      return;
  }
}

void Session::wheel(std::int64_t about, double factor) {
  viewport_.remember(100);
  viewport_.zoom(about, factor);
}

void Session::drag(std::int64_t ns) {
  viewport_.remember(101);
  viewport_.pan(ns);
}

void Session::select(Spot spot) {
  selected_ = spot;
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
  return lanes_[selected_->lane].event(selected_->row, selected_->index);
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

bool Session::is_lit(EventRef event) const {
  if (lit_.empty()) return true;
  const TraceData& data = run_.trace.data();
  if (event.kind == EventKind::host_range) return lit_[data.host_ranges.name[event.id]];
  if (event.kind == EventKind::device_op) return lit_[data.device_ops.name[event.id]];
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
  for (std::uint32_t i = 0; i < data.device_ops.size(); ++i) {
    if (lit_[data.device_ops.name[i]]) matches_.push_back({EventKind::device_op, i});
  }
  for (std::uint32_t i = 0; i < data.host_ranges.size(); ++i) {
    if (lit_[data.host_ranges.name[i]]) matches_.push_back({EventKind::host_range, i});
  }
  std::stable_sort(matches_.begin(), matches_.end(), [&](EventRef a, EventRef b) {
    return time_of(run_, a).begin < time_of(run_, b).begin;
  });
}

// From the middle of the screen on at first, then from match to match.
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

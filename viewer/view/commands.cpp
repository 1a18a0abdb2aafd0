// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/commands.hpp"

namespace stepscope::viewer {

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
      {'f', nullptr, Command::fit_selection, "centre the selected event; once more: in full width"},
      {'.', nullptr, Command::next_event, "next event of the row"},
      {',', nullptr, Command::previous_event, "event before"},
      {'[', nullptr, Command::back, "what held the selected event up, or encloses it"},
      {']', nullptr, Command::forward, "what the selected event led to"},
      {'j', nullptr, Command::next_step, "next step"},
      {'k', nullptr, Command::previous_step, "step before"},
      {'r', nullptr, Command::measure_selection, "measure over the selected event"},
      {'z', nullptr, Command::zoom_to_measured, "zoom to the measured range"},
      {'m', nullptr, Command::mark, "mark the measured range, else the selected event; saved"},
      {'p', nullptr, Command::pin_lane, "pin the selected event's lane to the top, or unpin it"},
      {'x', nullptr, Command::hide_lane, "hide the selected event's lane"},
      {'X', nullptr, Command::show_lanes, "show the hidden lanes"},
      {'/', nullptr, Command::search, "search by name: what matches stays lit"},
      {'n', nullptr, Command::next_match, "next match"},
      {0, "Ctrl+P", Command::palette, "find a command, lane, step or mark by name"},
      {0, "Ctrl+C", Command::copy, "copy the table that is open as text"},
      {0, "Backspace", Command::undo, "undo the last move"},
      {'b', nullptr, Command::other_run, "the other run", true},
      {'o', nullptr, Command::align_step, "align the runs at the begin of their steps", true},
      {'O', nullptr, Command::align_phase, "align the runs at the selected event's phase", true},
      {'+', nullptr, Command::larger_text, "larger text"},
      {'-', nullptr, Command::smaller_text, "smaller text"},
      {'t', nullptr, Command::toggle_theme, "light or dark"},
      {0, "Esc", Command::clear, "let go of selection, range and search"},
      {0, "Ctrl+Q", Command::quit, "close the window"},
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

}  // namespace stepscope::viewer

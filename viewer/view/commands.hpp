// SPDX-License-Identifier: Apache-2.0
// Everything that a key or the palette can do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::viewer {

enum class Command : std::uint8_t {
  // Commands that move the view.
  zoom_in,
  zoom_out,
  pan_left,
  pan_right,
  fit_all,
  fit_selection,
  next_event,
  previous_event,
  back,
  forward,
  next_step,
  previous_step,
  zoom_to_measured,
  next_match,
  // Commands of one run.
  undo,
  measure_selection,
  mark,
  pin_lane,
  hide_lane,
  show_lanes,
  // Commands of the screen: Desk::apply.
  align_step,
  align_phase,
  other_run,
  search,
  palette,
  clear,
  toggle_keys,
  toggle_theme,
  larger_text,
  smaller_text,
  copy,
  quit,
};

// The one list of keys: the window maps input by it; the `?` overlay, the palette and the docs
// print it.
struct KeyBinding {
  char key;          // as typed; 0 for the keys that follow
  const char* name;  // "Home", "Esc"; nullptr where `key` says it
  Command command;
  const char* about;
  bool only_two = false;  // runs

  std::string text() const { return name != nullptr ? name : std::string(1, key); }
};
const std::vector<KeyBinding>& key_bindings();
std::optional<Command> command_of(char key);
std::optional<Command> command_named(std::string_view key_name);

}  // namespace stepscope::viewer

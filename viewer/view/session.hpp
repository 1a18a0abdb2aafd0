// SPDX-License-Identifier: Apache-2.0
// What the user has done so far: span, selection, measured range, search, chosen step. Input comes
// as commands and positions; the same state is drawn by the window and asserted by tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/view/lanes.hpp"
#include "viewer/view/viewport.hpp"

namespace stepscope::viewer {

enum class Command : std::uint8_t {
  zoom_in,
  zoom_out,
  pan_left,
  pan_right,
  fit_all,
  fit_selection,
  next_event,
  previous_event,
  next_step,
  previous_step,
  measure_selection,
  zoom_to_measured,
  next_match,
  undo,
  search,
  clear,
  toggle_keys,
  toggle_theme,
};

// The one list of keys: the window maps input by it, the `?` overlay and the docs print it.
struct KeyBinding {
  char key;          // as typed; 0 for the keys that follow
  const char* name;  // "Home", "Esc"; nullptr where `key` says it
  Command command;
  const char* about;
};
const std::vector<KeyBinding>& key_bindings();
std::optional<Command> command_of(char key);
std::optional<Command> command_named(std::string_view key_name);

class Session {
 public:
  explicit Session(const Run& run);

  const Run& run() const { return run_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  Viewport& viewport() { return viewport_; }
  const Viewport& viewport() const { return viewport_; }

  void apply(Command command);
  // Mouse wheel: `about` keeps its place.
  void wheel(std::int64_t about, double factor);
  void drag(std::int64_t ns);

  void select(Spot spot);
  bool select(EventRef event);  // and brings it on screen
  std::optional<Spot> selected() const { return selected_; }
  std::optional<EventRef> selected_event() const;

  void go_to_step(std::uint32_t row);
  std::optional<std::uint32_t> step() const { return step_; }

  void measure(Interval time) { measured_ = time; }
  std::optional<Interval> measured() const { return measured_; }
  // The nearest edge of an event of this lane within `tolerance`, else `t`.
  std::int64_t snap(std::uint32_t lane, std::int64_t t, std::int64_t tolerance) const;

  // Events whose name holds the text, whatever its case, are lit; empty text lights all.
  void search(const std::string& text);
  const std::string& search_text() const { return search_text_; }
  bool is_lit(EventRef event) const;
  std::uint64_t matches() const { return matches_.size(); }

  // The step that stands for the run and its largest owner; the sentence says what is seen.
  void open();
  const std::string& sentence() const { return sentence_; }

  bool keys_shown = false;
  bool light = false;
  bool search_wanted = false;   // the search box is to take the keyboard
  std::vector<bool> collapsed;  // by lane

 private:
  void step_to(int direction);
  void event_to(int direction);
  void next_match();

  const Run& run_;
  std::vector<Lane> lanes_;
  Viewport viewport_;
  std::optional<Spot> selected_;
  std::optional<Interval> measured_;
  std::optional<std::uint32_t> step_;
  std::string search_text_;
  std::vector<bool> lit_;  // by StringId
  std::vector<EventRef> matches_;
  std::string sentence_;
};

// The counted step nearest to the median; the first one where no step is counted.
std::optional<std::uint32_t> typical_step(const Summary& summary);

}  // namespace stepscope::viewer

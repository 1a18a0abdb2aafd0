// SPDX-License-Identifier: Apache-2.0
// What the user has done so far with one run: span, selection, measured range, search, chosen step,
// marks, order of lanes. Input comes as commands and positions; the same state is drawn by the
// window and asserted by tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/view/commands.hpp"
#include "viewer/view/lanes.hpp"
#include "viewer/view/viewport.hpp"

namespace stepscope::viewer {

// A time or a range that the user named.
struct Mark {
  Interval time;
  std::string text;
  friend bool operator==(const Mark&, const Mark&) = default;
};

class Session {
 public:
  explicit Session(const Run& run);

  const Run& run() const { return run_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  Viewport& viewport() { return viewport_; }
  const Viewport& viewport() const { return viewport_; }

  // Commands of one run; those of the screen (commands.hpp) are the desk's and do nothing here.
  void apply(Command command);
  // Mouse wheel: `about` keeps its place.
  void wheel(std::int64_t about, double factor);
  void drag(std::int64_t ns);
  // Shows the range in full width; `out`: what is on screen now takes the place of the range.
  void zoom_to(Interval range, bool out);
  void fill_with_selection();

  void select(Spot spot);
  bool select(EventRef event);  // and brings it on screen
  std::optional<Spot> selected() const { return selected_; }
  std::optional<EventRef> selected_event() const;
  EventRef event_at(Spot spot) const { return lanes_[spot.lane].event(spot.row, spot.index); }

  void go_to_step(std::uint32_t row);
  std::optional<std::uint32_t> step() const { return step_; }

  void measure(Interval time) { measured_ = time; }
  std::optional<Interval> measured() const { return measured_; }
  // The nearest edge of an event of this lane within `tolerance`, else `t`.
  std::int64_t snap(std::uint32_t lane, std::int64_t t, std::int64_t tolerance) const;

  // Events whose name holds the text, whatever its case, are lit, and device work whose class does
  // ("gemm" finds nvjet_sm90_...); empty text lights all.
  void search(const std::string& text);
  const std::string& search_text() const { return search_text_; }
  bool is_lit(EventRef event) const;
  std::uint64_t matches() const { return matches_.size(); }

  // The step that stands for the run and its largest owner; the sentence says what is seen. Tall
  // lanes with nothing in that step are folded, and workers with nothing in it rest.
  void open();
  const std::string& sentence() const { return sentence_; }

  // Goes on where the same run was looked at before more was known of it: its marks, search, pinned
  // and hidden lanes; and its span and selection where the user has moved.
  void take_over(const Session& before);

  // Selects it in its step, close enough to be seen.
  bool jump(EventRef event);

  const std::vector<Mark>& marks() const { return marks_; }
  void add_mark(Mark mark);
  void go_to(Interval time);

  // Rows of lanes() from top to bottom: pinned ones first, hidden ones left out.
  std::vector<std::uint32_t> shown_lanes() const;
  std::size_t hidden_lanes() const;
  // The same as lines of the screen: one a lane, but all workers of a group that rest share the
  // group's last one.
  std::vector<std::vector<std::uint32_t>> shown_lines() const;

  std::vector<bool> collapsed;  // by lane, as the following
  std::vector<bool> pinned;
  std::vector<bool> hidden;
  std::vector<bool> resting;                 // not once one of its events was selected
  std::optional<std::uint32_t> wanted_lane;  // is to be scrolled to
  std::optional<std::int64_t> pointed;       // the time under the mouse: keys zoom there

 private:
  void step_to(int direction);
  void event_to(int direction);
  void next_match();
  void follow(const std::optional<EventRef>& to);
  void mark();
  void fit_selection();
  void fold_quiet_lanes();
  bool is_lit_op(DeviceOpId op) const;
  void toggle_lane(std::vector<bool>& flags);

  const Run& run_;
  std::vector<Lane> lanes_;
  Viewport viewport_;
  std::optional<Spot> selected_;
  std::optional<Interval> measured_;
  std::optional<std::uint32_t> step_;
  std::string search_text_;
  std::vector<bool> lit_;  // by StringId
  PerCause<bool> lit_class_{};
  std::vector<EventRef> matches_;
  std::string sentence_;
  std::vector<Mark> marks_;
};

// "Step 17: 76.7 ms, where the median is 52.4 ms. host.python (Python code) owns 59.4 ms of it, 77
// %."
std::string step_sentence(const Run& run, std::uint32_t row);

// The counted step nearest to the median; the first one where no step is counted.
std::optional<std::uint32_t> typical_step(const Summary& summary);

}  // namespace stepscope::viewer

// SPDX-License-Identifier: Apache-2.0
// One run, or two beside each other, and what is the same for both: which one is looked at, how
// their times are aligned, theme and text size, the chosen part of their difference, the chosen
// kernel.
//
// Two runs show the same span, counted from an anchor of each: the begin of the chosen step, or of
// a phase in it. Whatever moves one side moves the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/delta_groups.hpp"
#include "core/summary/rows/operation_rows.hpp"
#include "viewer/view/session.hpp"

namespace stepscope::viewer {

// All calls of one kernel on each side.
struct KernelLengths {
  std::string name;
  std::vector<LengthSpread> sides;
  LengthHistogram histogram;  // a set a side
};

// What the user dragged the panels to, in unscaled pixels; nothing: their usual size.
struct PanelSizes {
  std::optional<float> details_width;
  std::optional<float> tables_height;
};

struct DeskOptions {
  bool anyway = false;  // show the difference of runs that cannot be compared, too
};

class Desk {
 public:
  using Runs = std::vector<std::shared_ptr<const Run>>;
  explicit Desk(Runs runs, const DeskOptions& options = {});  // one or two

  // Goes on where a desk of the same runs was before more was known of them.
  void take_over(const Desk& before);
  // A run has more to say than before (its findings): tables are to be made anew.
  void renew_tables() { ++revision_; }
  // What is still being found out, for the headline; empty where nothing is.
  std::string pending;

  // The step that stands for each run, and the sentence about what is seen.
  void open();
  const std::string& sentence() const { return sentence_; }

  std::size_t sides() const { return sessions_.size(); }
  Session& side(std::size_t index) { return *sessions_[index]; }
  const Session& side(std::size_t index) const { return *sessions_[index]; }
  const Run& run(std::size_t index) const { return *runs_[index]; }
  Session& active() { return *sessions_[active_]; }
  const Session& active() const { return *sessions_[active_]; }
  std::size_t active_side() const { return active_; }
  void activate(std::size_t index) { active_ = index; }

  void apply(Command command);
  void go_to_step(std::size_t side, std::uint32_t row);
  // To be called after input: the side that moved leads, the other follows.
  void follow();

  // Return where the ruler of a side counts from, and what that is: "step 12", "optimizer of step
  // 12".
  std::int64_t zero(std::size_t side) const;
  std::string zero_text(std::size_t side) const;

  // Null unless two runs are open.
  const Comparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
  const std::vector<DeltaGroup>& groups() const { return groups_; }
  // Selects, on each side, the longest stretch of the chosen step that the row is about, aligned.
  void show_group(std::size_t index);
  void show_cause(Cause cause);
  void show_phase(const std::string& path);
  std::optional<std::size_t> chosen_group() const { return chosen_group_; }

  // The same range, counted from the anchors, on each side.
  void measure(std::size_t side, Interval range);

  // Finding of the active run: jumps to its evidence, each time to the next of it.
  void show_finding(std::size_t index);
  std::optional<std::size_t> chosen_finding() const { return chosen_finding_; }

  void choose_kernel(const std::string& name);
  KernelGrouping kernel_grouping = KernelGrouping::none;  // grouping of the table of kernels
  const std::optional<KernelLengths>& kernel() const { return kernel_; }

  // Reads the active run as another rank sees it. An error leaves everything as it was.
  Status pick_rank(std::int32_t rank);
  // Grows whenever a run was replaced: what was kept of it is of no use any more.
  std::uint64_t generation() const { return generation_; }
  // Grows whenever tables may say something else.
  std::uint64_t revision() const { return generation_ + revision_; }

  bool keys_shown = false;
  bool palette_shown = false;
  bool light = false;
  bool search_wanted = false;  // the search box is to take the keyboard
  bool copy_wanted = false;    // the open table is to be copied
  bool quit_wanted = false;
  PanelSizes panels;
  float text_scale = 1;  // relative to the display's own size: 0.7 to 2
  std::string notice;    // the last thing that did not go as asked

 private:
  struct Wanted;
  void step_to(Command command);
  void align_at_steps();
  void tell_step();
  void align_at_phase();
  std::optional<Interval> visit_like(std::size_t side, EventRef event) const;
  void show_wanted(const std::vector<Wanted>& wanted, const std::string& what);
  void lead_from(std::size_t leader);
  void measure_selection();

  Runs runs_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::size_t active_ = 0;
  std::vector<std::optional<std::int64_t>> anchors_;  // by side; nothing: the chosen step's begin
  std::vector<std::string> anchor_names_;
  std::vector<Interval> seen_;  // spans as follow() left them
  std::optional<Comparison> comparison_;
  std::vector<DeltaGroup> groups_;
  std::optional<std::size_t> chosen_group_;
  std::optional<std::size_t> chosen_finding_;
  std::size_t next_evidence_ = 0;
  std::optional<KernelLengths> kernel_;
  std::string sentence_;
  std::uint64_t generation_ = 0;
  std::uint64_t revision_ = 0;
};

// The palette: everything that can be done or gone to, found by words of its name.

struct PaletteEntry {
  enum class Kind : std::uint8_t { command, lane, step, finding, mark } kind = Kind::command;
  std::string text;
  std::string key;        // key of a command
  std::size_t index = 0;  // Command, or row of the active session
};

// Those that hold every word of `text`, whatever its case; at most `most`.
std::vector<PaletteEntry> palette_entries(const Desk& desk, const std::string& text,
                                          std::size_t most = 12);
void run_entry(Desk& desk, const PaletteEntry& entry);

// What stays from one opening of a trace to the next: marks, pinned, hidden and folded lanes; and
// for all traces theme and size of text. Kept as small JSON files in the user's state folder
// (XDG_STATE_HOME, else ~/.local/state), never beside the trace, which may be read-only or shared.
// A file that cannot be read or written is passed over.

// Empty where there is no home.
std::string state_folder();

void load_saved(Desk& desk, const std::string& folder);
// Whether everything could be written.
bool save(const Desk& desk, const std::string& folder);

// What the colours of the band of owners mean.

// The causes that are on screen, in the order of what they own of a step.
std::vector<Cause> legend_of(const Desk& desk, const PerCause<bool>& on_screen);

// Returns how many items of these widths fit into the room; where not all do, `more` behind them
// does, too.
std::size_t items_that_fit(const std::vector<float>& widths, float room, float more);

}  // namespace stepscope::viewer

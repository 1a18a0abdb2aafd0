// SPDX-License-Identifier: Apache-2.0
// The whole screen without a display or GL: input is sent to ImGui, the desk's state is asserted.
// One test a row of the table of actions in docs/viewer.md.
#include "viewer/ui/screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/viewer/sample_run.hpp"
#include "viewer/imgui_compat.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kWidth = 1600;
constexpr float kHeight = 900;
constexpr float kLeft = 210;                      // width of the lanes' names
constexpr double kLanesWidth = 1600 - 400 - 210;  // less details and names

class OnScreen : public testing::Test {
 protected:
  explicit OnScreen(Desk::Runs runs) : desk(std::move(runs)), screen(desk, 1) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    map_keys();
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    desk.open();
    frames(3);
  }
  ~OnScreen() override { ImGui::DestroyContext(); }

  Session& session() { return desk.active(); }
  Interval span() { return session().viewport().span(); }

  void frame() {
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    draw(screen, {kWidth, kHeight});
    ImGui::Render();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  void mouse(ImVec2 at, bool down, float wheel = 0, float sideways = 0) {
    send_mouse(at, down, wheel, sideways);
    frame();
    send_mouse(at, down);
    frame();
  }
  void click(ImVec2 at) {
    mouse(at, false);
    mouse(at, true);
    mouse(at, false);
  }
  // A press of a button at `from`, moved to `to`, let go.
  void drag(int button, ImVec2 from, ImVec2 to) {
    mouse(from, false);
    const auto at = [&](ImVec2 where, bool down) {
      send_mouse(where, button == 0 && down);
      if (button != 0) send_button(button, down);
      frame();
    };
    at(from, true);
    at({(from.x + to.x) / 2, (from.y + to.y) / 2}, true);
    at(to, true);
    at(to, false);
    frame();
  }
  void type(char key) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(key));
    frame();
  }
  void type(const std::string& text) {
    for (const char key : text) type(key);
  }
  void press(ImGuiKey key) {
    send_key(key, true);
    frame();
    send_key(key, false);
    frame();
  }
  void press_control(char capital) {
    send_modifiers({.control = true});
    send_letter(capital, true);
    frame();
    send_letter(capital, false);
    send_modifiers({});
    frame();
  }
  void click_at_time(std::int64_t t, float y) {
    click({kLeft + static_cast<float>(session().viewport().x_of(t, kLanesWidth)), y});
  }

  // In the band of owners.
  const ImVec2 kOwners = {700, 208};

  Desk desk;
  Screen screen;
};

class ScreenTest : public OnScreen {
 protected:
  ScreenTest() : OnScreen({fast_run()}) {}
};

// Before it is analysed.
class GlanceTest : public OnScreen {
 protected:
  GlanceTest() : OnScreen({std::make_shared<const viewer::Run>(glance(fast_run()->trace))}) {}
};

TEST_F(GlanceTest, EveryKeyAndClickIsTakenBeforeAnythingIsConcluded) {
  for (char key = ' '; key < 127; ++key) {
    if (key == 'q') continue;
    type(key);
    press(ImGuiKey_Escape);
  }
  for (float y = 5; y < kHeight; y += 23) {
    click({700, y});
    click({100, y});
  }
  drag(0, {500, 208}, {800, 208});
  frames(2);
  type('0');
  const auto kernels =
      std::find_if(session().lanes().begin(), session().lanes().end(),
                   [](const Lane& lane) { return lane.kind == LaneKind::kernels; });
  ASSERT_NE(kernels, session().lanes().end());
  EXPECT_TRUE(session().select(kernels->event(0, 0)));
  frames(2);
  EXPECT_FALSE(screen.panes[0].details.empty());
}

// Runs side by side: A above B.
class TwoRunsTest : public OnScreen {
 protected:
  TwoRunsTest() : OnScreen({slow_run(), fast_run()}) {}
};

TEST_F(ScreenTest, AClickSelectsTheEventUnderIt) {
  desk.apply(Command::clear);
  ASSERT_FALSE(session().selected());
  click(kOwners);
  ASSERT_TRUE(session().selected());
  const Interval time = time_of(session().run(), *session().selected_event());
  EXPECT_EQ(session().selected_event()->kind, EventKind::segment);
  EXPECT_LE(session().viewport().x_of(time.begin, kLanesWidth), 700 - 210 + 2);
  EXPECT_GE(session().viewport().x_of(time.end, kLanesWidth), 700 - 210 - 2);
}

TEST_F(ScreenTest, ADoubleClickShowsTheEventInFullWidth) {
  click(kOwners);
  const Interval time = time_of(session().run(), *session().selected_event());
  click(kOwners);
  EXPECT_LE(span().begin, time.begin);
  EXPECT_GE(span().end, time.end);
  EXPECT_LE(span().length(), std::max(2 * time.length(), kLeastSpan));
}

TEST_F(ScreenTest, TheWheelZoomsWhereTheMouseIsFinerWithControlFasterWithShift) {
  const std::int64_t about = session().viewport().time_at(700 - 210, kLanesWidth);
  struct Case {
    Modifiers held;
    double factor;
  };
  mouse(kOwners, false);
  for (const Case& one :
       {Case{{}, 0.8}, Case{{.control = true}, 0.95}, Case{{.shift = true}, 0.5}}) {
    const auto before = static_cast<double>(span().length());
    send_modifiers(one.held);
    mouse(kOwners, false, 1);
    send_modifiers({});
    frame();
    EXPECT_NEAR(static_cast<double>(span().length()), one.factor * before, 2.0);
    EXPECT_NEAR(session().viewport().x_of(about, kLanesWidth), 700 - 210, 1);
  }
}

TEST_F(ScreenTest, TheWheelSidewaysMoves) {
  type('w');
  const Interval before = span();
  mouse(kOwners, false);
  mouse(kOwners, false, 0, 1);
  EXPECT_LT(span().begin, before.begin);
  EXPECT_EQ(span().length(), before.length());
}

TEST_F(ScreenTest, KeysZoomAndMove) {
  const Interval before = span();
  type('w');
  EXPECT_LT(span().length(), before.length());
  type('s');
  EXPECT_NEAR(static_cast<double>(span().length()), static_cast<double>(before.length()), 4);
  type('d');
  EXPECT_GT(span().begin, before.begin);
  type('a');
  EXPECT_NEAR(static_cast<double>(span().begin), static_cast<double>(before.begin), 4);
  press(ImGuiKey_RightArrow);
  EXPECT_GT(span().begin, before.begin + 10);
  press(ImGuiKey_LeftArrow);
  EXPECT_NEAR(static_cast<double>(span().begin), static_cast<double>(before.begin), 6);
}

TEST_F(ScreenTest, ARightDragMovesAndSoDoesShiftWithTheLeft) {
  type('w');
  const Interval before = span();
  drag(1, kOwners, {600, 208});
  const auto pixel = static_cast<double>(before.length()) / kLanesWidth;
  EXPECT_NEAR(static_cast<double>(span().begin - before.begin), 100 * pixel, 2 * pixel);
  EXPECT_EQ(span().length(), before.length());
  send_modifiers({.shift = true});
  drag(0, {600, 208}, kOwners);
  send_modifiers({});
  frame();
  EXPECT_NEAR(static_cast<double>(span().begin), static_cast<double>(before.begin), 4 * pixel);
  EXPECT_FALSE(session().measured());
}

TEST_F(ScreenTest, AMiddleDragZoomsToTheRangeAndWithControlOut) {
  const Interval before = span();
  const std::int64_t from = session().viewport().time_at(500 - 210, kLanesWidth);
  const std::int64_t to = session().viewport().time_at(800 - 210, kLanesWidth);
  drag(2, {500, 208}, {800, 208});
  EXPECT_EQ(span(), (Interval{from, to}));
  send_modifiers({.control = true});
  drag(2, {500, 208}, {800, 208});
  send_modifiers({});
  frame();
  EXPECT_GT(span().length(), before.length() / 2);
}

TEST_F(ScreenTest, ZZoomsToTheMeasuredRange) {
  drag(0, {500, 208}, {800, 208});
  ASSERT_TRUE(session().measured());
  const Interval range = *session().measured();
  EXPECT_EQ(screen.pane().measurement.range, range);
  type('z');
  EXPECT_EQ(span(), range);
}

TEST_F(ScreenTest, ADragSnapsToEdgesButNotWithAlt) {
  const auto is_edge = [&](std::int64_t t) {
    for (const Segment& segment : session().run().attribution.process.segments) {
      if (segment.time.begin == t || segment.time.end == t) return true;
    }
    return false;
  };
  // Near to an edge: that of the selected event.
  const Interval time = time_of(session().run(), *session().selected_event());
  const float x =
      kLeft + static_cast<float>(session().viewport().x_of(time.begin, kLanesWidth)) + 3;
  drag(0, {x, 208}, {x + 300, 208});
  ASSERT_TRUE(session().measured());
  EXPECT_TRUE(is_edge(session().measured()->begin));
  desk.apply(Command::clear);
  frames(30);  // else it is a double click
  send_modifiers({.alt = true});
  drag(0, {x, 208}, {x + 300, 208});
  send_modifiers({});
  ASSERT_TRUE(session().measured());
  EXPECT_FALSE(is_edge(session().measured()->begin));
}

TEST_F(ScreenTest, FCentresThenFitsAndZeroShowsTheWholeRun) {
  const Interval time = time_of(session().run(), *session().selected_event());
  type('w');
  type('w');
  type('w');
  type('w');
  type('w');
  type('w');
  type('d');
  const std::int64_t length = span().length();
  type('f');
  EXPECT_EQ(span().length(), length);
  const std::int64_t off = (time.begin + time.end) / 2 - (span().begin + span().end) / 2;
  EXPECT_LE(std::abs(off), length / 400);
  type('f');
  EXPECT_NEAR(static_cast<double>(span().length()), 1.5 * static_cast<double>(time.length()), 200);
  type('0');
  EXPECT_LE(span().begin, session().run().trace.begin());
  EXPECT_GE(span().end, session().run().trace.end());
  type('w');
  press(ImGuiKey_Home);
  EXPECT_GE(span().end, session().run().trace.end());
}

TEST_F(ScreenTest, NeighboursOfTheRowFollowEachOther) {
  ASSERT_TRUE(session().select({EventKind::device_op, 10}));
  const Spot before = *session().selected();
  type('.');
  EXPECT_EQ(session().selected()->index, before.index + 1);
  type(',');
  EXPECT_EQ(*session().selected(), before);
}

TEST_F(ScreenTest, BracketsFollowWhatHeldUpAndWhatWasLedTo) {
  const auto& run = session().run();
  for (DeviceOpId op = 1; op < run.trace.device_ops().size(); ++op) {
    const auto held = led_to_by(run, {EventKind::device_op, op});
    if (!held || held->kind != EventKind::host_range) continue;
    ASSERT_TRUE(session().select({EventKind::device_op, op}));
    type('[');
    EXPECT_EQ(*session().selected_event(), *held);
    type(']');
    EXPECT_EQ(session().selected_event()->kind, EventKind::device_op);
    return;
  }
  FAIL() << "no op that was held up by its launch";
}

TEST_F(ScreenTest, JAndKGoFromStepToStepAndSayWhatIsSeen) {
  const std::uint32_t step = *session().step();
  type('j');
  EXPECT_EQ(*session().step(), step + 1);
  EXPECT_THAT(
      desk.sentence(),
      testing::StartsWith("Step " + std::to_string(session().run().steps.list[step + 1].id)));
  type('k');
  EXPECT_EQ(*session().step(), step);
}

TEST_F(ScreenTest, SlashSearchesAndEnterFindsTheNext) {
  type('/');
  frame();
  type("ge");
  frame();
  EXPECT_EQ(session().search_text(), "ge");  // letters are text now
  ASSERT_GT(session().matches(), 0U);
  press(ImGuiKey_Enter);
  EXPECT_TRUE(session().is_lit(*session().selected_event()));
  frames(2);
  press(ImGuiKey_Escape);
}

TEST_F(ScreenTest, ControlPFindsCommandsLanesAndSteps) {
  press_control('P');
  ASSERT_TRUE(desk.palette_shown);
  frame();
  type("larger text");
  frame();
  press(ImGuiKey_Enter);
  EXPECT_FALSE(desk.palette_shown);
  EXPECT_GT(desk.text_scale, 1.0F);
  press_control('P');
  frame();
  type("step 3");
  frame();
  press(ImGuiKey_Enter);
  EXPECT_EQ(session().run().steps.list[*session().step()].id, 3);
  press_control('P');
  frame();
  press(ImGuiKey_Escape);
  EXPECT_FALSE(desk.palette_shown);
}

TEST_F(ScreenTest, QuestionMarkListsTheKeysAndTTurnsTheTheme) {
  type('?');
  EXPECT_TRUE(desk.keys_shown);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(desk.keys_shown);
  EXPECT_TRUE(session().selected());  // Esc closed the list, no more
  type('t');
  frame();
  EXPECT_TRUE(screen.theme.light);
}

TEST_F(ScreenTest, RMeasuresTheSelectedEventAndMMarksTheRange) {
  type('r');
  const Interval time = time_of(session().run(), *session().selected_event());
  EXPECT_EQ(*session().measured(), time);
  type('m');
  ASSERT_EQ(session().marks().size(), 1U);
  EXPECT_EQ(session().marks()[0].time, time);
  frame();
  EXPECT_THAT(screen.tables, testing::Contains(testing::Field(&Table::title, "Marks")));
}

TEST_F(ScreenTest, BackspaceUndoesMovesOneByOne) {
  const Interval start = span();
  type('w');
  type('d');
  type('0');
  for (int i = 0; i < 3; ++i) press(ImGuiKey_Backspace);
  EXPECT_EQ(span(), start);
}

TEST_F(ScreenTest, EscLetsGoOfAll) {
  type('r');
  press(ImGuiKey_Escape);
  EXPECT_FALSE(session().selected());
  EXPECT_FALSE(session().measured());
}

TEST_F(ScreenTest, PlusAndMinusChangeTheSizeOfText) {
  type('+');
  EXPECT_NEAR(desk.text_scale, 1.1, 1e-6);
  for (int i = 0; i < 30; ++i) type('-');
  EXPECT_NEAR(desk.text_scale, 0.7, 1e-6);
}

TEST_F(ScreenTest, AClickInTheStripChoosesAStep) {
  click({225, 112});
  EXPECT_EQ(*session().step(), 0U);
}

TEST_F(ScreenTest, AClickInTheSmallPictureGoesThere) {
  type('w');
  const std::int64_t length = span().length();
  click({kLeft + 990 * 0.75F, kHeight - 240 - 22 - 10});
  const Interval whole = session().viewport().whole();
  const std::int64_t middle = span().begin + span().length() / 2;
  EXPECT_EQ(span().length(), length);
  EXPECT_NEAR(static_cast<double>(middle - whole.begin), 0.75 * static_cast<double>(whole.length()),
              0.01 * static_cast<double>(whole.length()));
}

TEST_F(ScreenTest, LanesFoldPinAndHideByTheirNames) {
  const std::vector<std::uint32_t> before = session().shown_lanes();
  const std::uint32_t lane = 1;  // the band of owners
  click({kLeft - 11, 208});
  EXPECT_TRUE(session().pinned[lane]);
  EXPECT_EQ(session().shown_lanes().front(), lane);
  ASSERT_TRUE(session().select({EventKind::device_op, 10}));
  type('p');
  EXPECT_TRUE(session().pinned[session().selected()->lane]);
  type('x');
  EXPECT_EQ(session().hidden_lanes(), 1U);
  EXPECT_EQ(session().shown_lanes().size(), before.size() - 1);
  type('X');
  EXPECT_EQ(session().hidden_lanes(), 0U);
}

TEST_F(ScreenTest, AClickOnALanesNameFoldsItsRows) {
  const std::vector<Lane>& lanes = session().lanes();
  std::uint32_t lane = 0;
  while (lane < lanes.size() && lanes[lane].rows.size() < 2) ++lane;
  ASSERT_LT(lane, lanes.size());
  const bool before = session().collapsed[lane];
  const float next = screen.pane().lane_y[lane + 1];
  click({60, screen.pane().lane_y[lane] + 8});
  EXPECT_EQ(session().collapsed[lane], !before);
  frame();
  EXPECT_NE(screen.pane().lane_y[lane + 1], next);  // its rows are lower, or higher
  frames(30);                                       // else it is a double click
  click({60, screen.pane().lane_y[lane] + 8});
  EXPECT_EQ(session().collapsed[lane], before);
}

TEST_F(ScreenTest, TheWheelOnTheNamesOfLanesScrolls) {
  for (std::uint32_t i = 0; i < session().lanes().size(); ++i) session().collapsed[i] = false;
  frames(2);
  const Interval before = span();
  mouse({60, 300}, false);
  mouse({60, 300}, false, -2);
  frame();
  EXPECT_GT(screen.pane().scrolled, 0);
  EXPECT_EQ(span(), before);
  mouse({60, 300}, false, 2);
  frame();
  EXPECT_EQ(screen.pane().scrolled, 0);
}

TEST_F(ScreenTest, TheWheelOnTheSmallPictureChangesTheWidthOfItsFrame) {
  const auto before = static_cast<double>(span().length());
  const ImVec2 at = {kLeft + 300, kHeight - 240 - 22 - 10};
  mouse(at, false);
  mouse(at, false, 1);
  EXPECT_NEAR(static_cast<double>(span().length()), 0.8 * before, 2.0);
}

TEST_F(ScreenTest, KeysZoomWhereTheMouseIs) {
  const std::int64_t about = session().viewport().time_at(700 - 210, kLanesWidth);
  mouse(kOwners, false);
  type('w');
  EXPECT_NEAR(session().viewport().x_of(about, kLanesWidth), 700 - 210, 1);
  type('s');
  EXPECT_NEAR(session().viewport().x_of(about, kLanesWidth), 700 - 210, 1);
}

TEST_F(ScreenTest, WhatBelongsToTheEventUnderTheMouseIsLit) {
  const auto segment = session().selected_event();  // opened on the band of owners
  ASSERT_TRUE(segment);
  const Interval time = time_of(session().run(), *segment);
  const float x = kLeft + static_cast<float>(
                              session().viewport().x_of((time.begin + time.end) / 2, kLanesWidth));
  mouse({x, 208}, false);
  frame();
  EXPECT_FALSE(screen.pane().related.empty());
  mouse({x, 880}, false);
  frame();
  EXPECT_TRUE(screen.pane().related.empty());
}

TEST_F(ScreenTest, PanelsAreDraggedAndADoubleClickGivesTheirUsualSize) {
  const ImVec2 beside = {kWidth - 400 + 4, 400};
  const float below = kHeight - 240 + 3;
  drag(0, beside, {beside.x + 100, 400});
  ASSERT_TRUE(desk.panels.details_width);
  EXPECT_NEAR(*desk.panels.details_width, 300, 1);
  drag(0, {500, below}, {500, below - 200});
  ASSERT_TRUE(desk.panels.tables_height);
  EXPECT_NEAR(*desk.panels.tables_height, 440, 1);
  EXPECT_FALSE(session().measured());  // a drag between the panels is none on the lanes
  frames(30);                          // else the first click below is a double one
  const ImVec2 moved = {beside.x + 100, 400};
  click(moved);
  click(moved);
  EXPECT_FALSE(desk.panels.details_width);
}

TEST_F(ScreenTest, SearchFindsKernelsByTheirClass) {
  const auto& run = session().run();
  DeviceOpId op = 0;  // whose name does not say it
  const auto is_wanted = [&](DeviceOpId i) {
    const std::string_view name = run.trace.text(run.trace.device_ops().name[i]);
    return run.op_classes[i] == Cause::gpu_optimizer &&
           name.find("gpu.optimizer") == std::string_view::npos;
  };
  while (op < run.trace.device_ops().size() && !is_wanted(op)) ++op;
  ASSERT_LT(op, run.trace.device_ops().size());
  session().search("gpu.optimizer");
  EXPECT_GT(session().matches(), 0U);
  EXPECT_TRUE(session().is_lit({EventKind::device_op, op}));
}

TEST_F(ScreenTest, ControlCCopiesTheOpenTable) {
  press_control('C');
  frame();
  ASSERT_FALSE(screen.copied.empty());
  const auto open =
      std::find_if(screen.tables.begin(), screen.tables.end(),
                   [&](const Table& table) { return table.title == screen.open_tab; });
  ASSERT_NE(open, screen.tables.end());
  EXPECT_EQ(screen.copied, as_text(*open));
  EXPECT_EQ(ImGui::GetClipboardText(), screen.copied);
}

TEST_F(ScreenTest, AFrameOfTheWholeRunStaysSmall) {
  desk.apply(Command::fit_all);
  frame();
  EXPECT_LE(screen.rectangles, 20'000U);
  EXPECT_GT(screen.rectangles, 100U);
}

TEST_F(TwoRunsTest, WhatMovesOneMovesTheOther) {
  const auto from_zero = [&](std::size_t side) {
    const Interval time = desk.side(side).viewport().span();
    return Interval{time.begin - desk.zero(side), time.end - desk.zero(side)};
  };
  EXPECT_EQ(from_zero(0), from_zero(1));
  const Interval before = from_zero(0);
  type('w');
  EXPECT_LT(from_zero(0).length(), before.length());
  EXPECT_EQ(from_zero(0), from_zero(1));
  mouse({700, 500}, false);
  mouse({700, 500}, false, 1);  // over B
  EXPECT_EQ(desk.active_side(), 1U);
  EXPECT_EQ(from_zero(0), from_zero(1));
  type('b');
  EXPECT_EQ(desk.active_side(), 0U);
  const std::uint32_t a = *desk.side(0).step();
  const std::uint32_t b = *desk.side(1).step();
  type('j');
  EXPECT_EQ(*desk.side(0).step(), a + 1);
  EXPECT_EQ(*desk.side(1).step(), b + 1);
  EXPECT_EQ(from_zero(0), from_zero(1));
}

TEST_F(TwoRunsTest, ARangeIsMeasuredOnBothSides) {
  drag(0, {500, 208}, {800, 208});
  ASSERT_TRUE(desk.side(0).measured());
  ASSERT_TRUE(desk.side(1).measured());
  const auto from_zero = [&](std::size_t side) {
    const Interval range = *desk.side(side).measured();
    return Interval{range.begin - desk.zero(side), range.end - desk.zero(side)};
  };
  EXPECT_EQ(from_zero(0), from_zero(1));
  // The parts of both sides sum to their ranges, and so does their difference.
  const Measurement& a = screen.panes[0].measurement;
  const Measurement& b = screen.panes[1].measurement;
  EXPECT_EQ(a.range, *desk.side(0).measured());
  EXPECT_EQ(b.range, *desk.side(1).measured());
  std::array<std::int64_t, 2> sums = {a.outside_ns, b.outside_ns};
  for (const OwnerPair& pair : pair_owners({&a, &b})) {
    sums[0] += pair.ns[0];
    sums[1] += pair.ns[1];
  }
  EXPECT_EQ(sums[0], a.range.length());
  EXPECT_EQ(sums[1], b.range.length());
  std::size_t lanes = 0;
  for (const LanePair& pair :
       pair_lanes({&a, &b}, {&desk.side(0).lanes(), &desk.side(1).lanes()})) {
    lanes += static_cast<std::size_t>(pair.sides[0] != nullptr) +
             static_cast<std::size_t>(pair.sides[1] != nullptr);
    if (pair.sides[0] == nullptr || pair.sides[1] == nullptr) continue;
    EXPECT_EQ(desk.side(0).lanes()[pair.sides[0]->lane].title,
              desk.side(1).lanes()[pair.sides[1]->lane].title);
  }
  EXPECT_EQ(lanes, a.lanes.size() + b.lanes.size());
  press(ImGuiKey_Escape);
  EXPECT_FALSE(desk.side(0).measured() || desk.side(1).measured());
}

TEST_F(TwoRunsTest, RMeasuresTheStepsOfBothSides) {
  ASSERT_TRUE(desk.side(0).select(EventRef{EventKind::step, *desk.side(0).step()}));
  type('r');
  for (std::size_t side = 0; side < 2; ++side)
    EXPECT_EQ(*desk.side(side).measured(),
              desk.run(side).steps.list[*desk.side(side).step()].window);
}

TEST_F(TwoRunsTest, AClickOnAPartOfTheDifferenceShowsBothSides) {
  ASSERT_EQ(screen.open_tab, "Difference");
  click({600, kHeight - 240 + 79});  // its first row
  ASSERT_TRUE(desk.chosen_group());
  const DeltaPart& part = desk.groups()[*desk.chosen_group()].largest();
  for (std::size_t side = 0; side < 2; ++side) {
    const auto event = desk.side(side).selected_event();
    if (!event) continue;  // it has none of it, which the notice says
    const auto& shown = desk.run(side);
    EXPECT_EQ(event->kind, EventKind::segment);
    EXPECT_EQ(desk.zero(side), time_of(shown, *event).begin);
    EXPECT_GE(time_of(shown, *event).begin, desk.side(side).viewport().span().begin);
  }
  const bool both = desk.side(0).selected() && desk.side(1).selected();
  EXPECT_TRUE(both || !desk.notice.empty()) << name_of(part.cause);
}

TEST_F(TwoRunsTest, OAlignsAtStepsAndCapitalOAtAPhase) {
  for (std::uint32_t i = 0; i < desk.run(0).phase_stays.size(); ++i) {
    const PhaseVisit& visit = desk.run(0).phase_stays[i];
    const Interval window = desk.run(0).steps.list[*desk.side(0).step()].window;
    if (!window.contains(visit.time.begin) || visit.phase == 0) continue;
    if (phase_path(desk.run(0), visit.phase) != "backward") continue;
    desk.side(0).select(EventRef{EventKind::phase_stay, i});
    type('O');
    EXPECT_EQ(desk.zero(0), visit.time.begin);
    EXPECT_THAT(desk.zero_text(1), testing::StartsWith("backward of step"));
    type('o');
    EXPECT_EQ(desk.zero(1), desk.run(1).steps.list[*desk.side(1).step()].window.begin);
    return;
  }
  FAIL() << "no backward phase in the step";
}

}  // namespace
}  // namespace stepscope::viewer

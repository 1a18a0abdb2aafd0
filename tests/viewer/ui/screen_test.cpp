// SPDX-License-Identifier: Apache-2.0
// The whole screen without a display or GL: input is sent to ImGui, the session is asserted.
#include "viewer/ui/screen.hpp"

#include <gtest/gtest.h>

#include "tests/viewer/sample_run.hpp"
#include "viewer/imgui_compat.hpp"

namespace stepscope::viewer {
namespace {

class ScreenTest : public testing::Test {
 protected:
  ScreenTest() : session(sample_run()), screen(session, 1) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    session.open();
    for (int i = 0; i < 3; ++i) frame();
  }
  ~ScreenTest() override { ImGui::DestroyContext(); }

  void frame() {
    ImGui::GetIO().DisplaySize = {1600, 900};
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    draw(screen, {1600, 900});
    ImGui::Render();
  }
  void mouse(ImVec2 at, bool down, float wheel = 0) {
    send_mouse(at, down, wheel);
    frame();
    send_mouse(at, down);
    frame();
  }
  void click(ImVec2 at) {
    mouse(at, false);
    mouse(at, true);
    mouse(at, false);
  }
  void type(char key) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(key));
    frame();
  }
  // In the band of owners, 210 pixels of headers to the left.
  const ImVec2 kOwners = {700, 208};

  Session session;
  Screen screen;
};

TEST_F(ScreenTest, AClickSelectsTheEventUnderIt) {
  session.apply(Command::clear);
  ASSERT_FALSE(session.selected());
  click(kOwners);
  ASSERT_TRUE(session.selected());
  const Interval time = time_of(session.run(), *session.selected_event());
  EXPECT_EQ(session.selected_event()->kind, EventKind::segment);
  const double width = 1600 - 400 - 210;
  EXPECT_LE(session.viewport().x_of(time.begin, width), 700 - 210 + 2);
  EXPECT_GE(session.viewport().x_of(time.end, width), 700 - 210 - 2);
}

TEST_F(ScreenTest, TheWheelZoomsWhereTheMouseIs) {
  const double width = 1600 - 400 - 210;
  const std::int64_t about = session.viewport().time_at(700 - 210, width);
  const Interval before = session.viewport().span();
  mouse(kOwners, false);
  mouse(kOwners, false, 1);
  EXPECT_NEAR(static_cast<double>(session.viewport().span().length()),
              0.8 * static_cast<double>(before.length()), 2.0);
  EXPECT_NEAR(session.viewport().x_of(about, width), 700 - 210, 1);
}

TEST_F(ScreenTest, ADragMeasuresARange) {
  mouse({500, 208}, false);
  mouse({500, 208}, true);
  mouse({600, 208}, true);
  mouse({800, 208}, true);
  mouse({800, 208}, false);
  ASSERT_TRUE(session.measured());
  EXPECT_GT(session.measured()->length(), session.viewport().span().length() / 5);
  EXPECT_EQ(screen.measurement.range, *session.measured());
}

TEST_F(ScreenTest, KeysAreCommands) {
  const Interval before = session.viewport().span();
  type('w');
  EXPECT_LT(session.viewport().span().length(), before.length());
  const std::uint32_t step = *session.step();
  type('j');
  EXPECT_EQ(*session.step(), step + 1);
  type('?');
  EXPECT_TRUE(session.keys_shown);
  type('t');
  EXPECT_TRUE(session.light);
  EXPECT_TRUE(screen.theme.light || (frame(), screen.theme.light));
  type('/');
  frame();
  type('g');
  type('e');
  frame();
  EXPECT_EQ(session.search_text(), "ge");  // letters are text now
}

TEST_F(ScreenTest, AClickInTheStripChoosesAStep) {
  click({225, 112});
  EXPECT_EQ(*session.step(), 0U);
}

TEST_F(ScreenTest, AFrameOfTheWholeRunStaysSmall) {
  session.apply(Command::fit_all);
  frame();
  EXPECT_LE(screen.rectangles, 20'000U);
  EXPECT_GT(screen.rectangles, 100U);
}

}  // namespace
}  // namespace stepscope::viewer

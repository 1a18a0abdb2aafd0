// SPDX-License-Identifier: Apache-2.0
// Pictures drawn by EGL. They are compared with a tolerance, since fonts and Mesa differ; a run of
// the test with STEPSCOPE_REBASE=1 writes the golden picture anew.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/viewer/sample_run.hpp"
#include "viewer/app/app.hpp"
#include "viewer/app/window.hpp"

namespace stepscope::viewer {
namespace {

constexpr const char* kGolden = STEPSCOPE_SOURCE_DIR "/tests/viewer/app/golden/sample.png";

Image picture(bool light, int width = 960, int height = 540) {
  // Tests run side by side, each in a process of its own.
  const std::string path =
      testing::TempDir() + "/viewer_picture" + std::to_string(getpid()) + ".png";
  const Status shown =
      show({fast_run()}, {.screenshot = path, .width = width, .height = height, .light = light});
  EXPECT_TRUE(shown.ok()) << shown.error().message;
  auto image = read_png(path);
  std::filesystem::remove(path);
  return image ? *image : Image{};
}

// Share of pixels of which a colour differs by more than a tenth.
double different(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1;
  std::size_t count = 0;
  for (std::size_t i = 0; i + 2 < a.rgb.size(); i += 3) {
    bool far = false;
    for (std::size_t k = i; k < i + 3; ++k) far |= std::abs(a.rgb[k] - b.rgb[k]) > 26;
    count += far ? 1 : 0;
  }
  return 3.0 * static_cast<double>(count) / static_cast<double>(a.rgb.size());
}

TEST(Picture, LooksLikeTheGoldenOne) {
  const Image now = picture(false);
  if (std::getenv("STEPSCOPE_REBASE") != nullptr) {
    ASSERT_TRUE(write_png(now, kGolden).ok());
  }
  const auto golden = read_png(kGolden);
  ASSERT_TRUE(golden.ok());
  EXPECT_LE(different(now, *golden), 0.03);
}

TEST(Picture, IsTheSameEachTimeAndNotOfTheOtherTheme) {
  const Image dark = picture(false);
  EXPECT_EQ(different(dark, picture(false)), 0.0);
  EXPECT_GT(different(dark, picture(true)), 0.5);
}

TEST(Picture, ARangeBehindTheEndIsRefused) {
  const Status shown = show({fast_run()}, {.screenshot = testing::TempDir() + "/none.png",
                                           .range = Interval{90'000'000'000, 95'000'000'000}});
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().code, ErrorCode::usage);
  EXPECT_NE(shown.error().message.find("behind the end"), std::string::npos);
}

TEST(Picture, ATableThatIsNotThereIsSaid) {
  const Status shown = show({fast_run()}, {.screenshot = "unused.png", .tab = "Kernel"});
  ASSERT_FALSE(shown.ok());
  EXPECT_NE(shown.error().message.find("'Kernels'"), std::string::npos);
}

TEST(Picture, AFileThatCannotBeWrittenIsSaid) {
  const Status shown = show({fast_run()}, {.screenshot = "/no/such/folder/x.png"});
  ASSERT_FALSE(shown.ok());
  EXPECT_NE(shown.error().message.find("/no/such/folder/x.png"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::viewer

// SPDX-License-Identifier: Apache-2.0
#include "cli/input/later_recording.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

void record(const std::string& folder, int second) {
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/run.json") << "{}";
  const std::filesystem::file_time_type begin{};
  std::filesystem::last_write_time(folder + "/run.json", begin + std::chrono::seconds(second));
}

TEST(LaterRecording, IsTheLastThatWasMadeUnderATakenName) {
  const Folder folder;
  record(folder.at("run.scope"), 10);
  EXPECT_EQ(later_recording(folder.at("run.scope")), "");
  record(folder.at("run.2.scope"), 20);
  record(folder.at("run.3.scope"), 30);
  EXPECT_EQ(later_recording(folder.at("run.scope")), folder.at("run.3.scope"));
  EXPECT_EQ(later_recording(folder.at("run.scope/")), folder.at("run.3.scope"));
  EXPECT_EQ(later_recording(folder.at("run.3.scope")), "");
}

TEST(LaterRecording, IsNotNamedToWhoGaveItAsWell) {
  const Folder folder;
  record(folder.at("run.scope"), 10);
  record(folder.at("run.2.scope"), 20);
  testing::internal::CaptureStderr();
  note_later_recordings("diff", {folder.at("run.scope"), folder.at("run.2.scope")});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  note_later_recordings("whatif", {folder.at("run.scope")});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stepscope whatif: " + folder.at("run.2.scope") + " was recorded later than " +
                folder.at("run.scope") + ", whose name was taken then\n");
}

TEST(LaterRecording, AnOldOneOfAHigherNumberIsNone) {
  const Folder folder;
  record(folder.at("run.scope"), 30);
  record(folder.at("run.2.scope"), 20);
  EXPECT_EQ(later_recording(folder.at("run.scope")), "");
  EXPECT_EQ(later_recording(folder.at("trace.json")), "");
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Processes that were killed, and one that lives.
#include "collectors/recorder/salvage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

using SalvageTest = RecordedChild;

TEST_F(SalvageTest, AKilledProcessLosesNothingThatWasRecorded) {
  const int status = status_of([] {
    begin_user("open");
    for (int i = 0; i < 1'000; ++i) {
      begin_range(kLaneFunction, HostKind::op, name("op"), 0, 0, kNoSequence);
      end_range(kLaneFunction);
      if (i == 500) usleep(1'200'000);  // behind the writer's first chunk
    }
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const Salvage salvaged = salvage(folder_.string(), {});
  EXPECT_EQ(salvaged.recovered, 1U);
  EXPECT_TRUE(salvaged.problems.empty());
  const Trace trace = read();
  EXPECT_EQ(trace.host_ranges().size(), 1'001U);
  EXPECT_THAT(names_of(trace), Contains("open"));  // ended by the reader at the last time
  EXPECT_EQ(count_files(".ring") + count_files(".session"), 0U);
}

TEST_F(SalvageTest, NodesAndMessagesOfAKilledProcessAreInItsRings) {
  status_of(
      [] {
        begin_range(kFirstNvtxLane, HostKind::nvtx_range, name("ncclAllReduce"), 0, 0, kNoSequence);
        collective(kFirstNvtxLane, {.communicator = 7, .bytes = 64});
        end_range(kFirstNvtxLane);
        graph_node(5, 0, 0);
        kill(getpid(), SIGKILL);
      },
      {.flush_ms = 10'000});
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  const Trace trace = read();
  EXPECT_THAT(trace.data().collectives.bytes, ElementsAre(64U));
  EXPECT_THAT(trace.graph_nodes().node, ElementsAre(5U));
}

TEST_F(SalvageTest, ARangeOpenAcrossTheLastFlushEndsWhereTheRingSaysSo) {
  status_of([] {
    begin_user("long");
    usleep(1'200'000);  // the writer's chunk holds it as open
    end_range(kLaneUser);
    begin_user("after");
    usleep(20'000);
    kill(getpid(), SIGKILL);
  });
  salvage(folder_.string(), {});
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("long", "after"));
  EXPECT_LE(trace.host_ranges().end[0], trace.host_ranges().begin[1]);
  EXPECT_GE(trace.host_ranges().end[0] - trace.host_ranges().begin[0], 1'200'000'000);
}

TEST_F(SalvageTest, NumbersOfNamesAreInTheRings) {
  status_of(
      [] {
        for (int i = 0; i <= 2'000; ++i) {
          begin_user("step " + std::to_string(i));
          if (i < 2'000) end_range(kLaneUser);
        }
        kill(getpid(), SIGKILL);
      },
      {.flush_ms = 10'000});
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  const std::vector<std::string> names = names_of(read());
  ASSERT_EQ(names.size(), 2'001U);
  EXPECT_EQ(names[1'999], "step 1999");
  EXPECT_EQ(names[2'000], "step 2000");
}

// More than a chunk may hold of one kind, and no range among them.
TEST_F(SalvageTest, AnyNumberOfCountersIsWritten) {
  constexpr int kEach = 530'000;
  status_of(
      [] {
        for (int ring = 0; ring < 2; ++ring) {
          std::thread([] {
            const NameId track = name("bytes");
            for (int i = 0; i < kEach; ++i) counter(track, i);
          }).join();
        }
        kill(getpid(), SIGKILL);
      },
      {.slots = 1U << 22U, .flush_ms = 10'000});
  const Salvage salvaged = salvage(folder_.string(), {});
  EXPECT_THAT(salvaged.problems, testing::IsEmpty());
  const Trace trace = read();
  EXPECT_EQ(std::count_if(trace.data().counters.track.begin(), trace.data().counters.track.end(),
                          [&](StringId track) { return trace.text(track) == "bytes"; }),
            2 * kEach);
}

TEST_F(SalvageTest, ALiveProcessIsLeftAlone) {
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  std::thread recording([&] {
    record([&] {
      begin_user("alive");
      end_range(kLaneUser);
      char byte = 0;
      (void)!write(ready[1], &byte, 1);
      (void)!::read(go[0], &byte, 1);
    });
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(salvage(folder_.string(), {}).running, 1U);
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  recording.join();
  EXPECT_THAT(names_of(read()), ElementsAre("alive"));
}

TEST_F(SalvageTest, LockFilesGoWithTheLastProcess) {
  const auto touch = [](const fs::path& path) { std::fclose(std::fopen(path.c_str(), "w")); };
  touch(folder_ / "live" / "host.gpus.lock");
  touch(folder_ / "live" / "other.file");
  salvage(folder_.string(), {}, Depth::quick);
  EXPECT_TRUE(fs::exists(folder_ / "live" / "host.gpus.lock"));
  salvage(folder_.string(), {});
  EXPECT_FALSE(fs::exists(folder_ / "live" / "host.gpus.lock"));
  EXPECT_TRUE(fs::exists(folder_ / "live" / "other.file"));
  fs::remove(folder_ / "live" / "other.file");
  salvage(folder_.string(), {});
  EXPECT_FALSE(fs::exists(folder_ / "live"));
}

}  // namespace
}  // namespace stepscope::recorder

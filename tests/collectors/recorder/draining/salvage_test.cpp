// SPDX-License-Identifier: Apache-2.0
// Processes that were killed, and one that lives.
#include "collectors/recorder/draining/salvage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include "collectors/recorder/live_files/ring.hpp"
#include "collectors/recorder/live_files/shared_layout.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

using SalvageTest = RecordedChild;

TEST_F(SalvageTest, AKilledProcessLosesNothingThatWasRecorded) {
  const int status = status_of([this] {
    begin_user("open");
    for (int i = 0; i < 1'000; ++i) {
      begin_range(kLaneFunction, HostKind::op, name("op"), 0, 0, kNoSequence);
      end_range(kLaneFunction);
      if (i == 500) wait_for_written_ranges();
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

// Writes a chunk and puts the files back into the state between its announcement and its commit,
// with the last `cut` bytes of the chunk missing.
void die_before_the_commit(off_t cut) {
  const auto record = [](int ranges) {
    for (int i = 0; i < ranges; ++i) {
      begin_user("range");
      end_range(kLaneUser);
    }
    wait_until_written();
  };
  record(10);
  const std::string store = store_path().data();
  const std::uint64_t tail = thread_ring->tail, chunk = fs::file_size(store);
  record(1'000);
  if (truncate(store.c_str(), static_cast<off_t>(fs::file_size(store)) - cut) != 0) _exit(98);
  thread_ring->tail = tail;
  process.dictionary.view().header().chunk_at = chunk;
  kill(getpid(), SIGKILL);
}

TEST_F(SalvageTest, ADeathBetweenAChunkAndItsCommitRepeatsNothing) {
  status_of([] { die_before_the_commit(0); });
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  EXPECT_EQ(read().host_ranges().size(), 1'010U);
}

TEST_F(SalvageTest, ADeathWithinAChunkLosesNothing) {
  status_of([] { die_before_the_commit(1); });
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  EXPECT_EQ(read().host_ranges().size(), 1'010U);
}

TEST_F(SalvageTest, ARangeOpenAcrossTheLastFlushEndsWhereTheRingSaysSo) {
  status_of([] {
    begin_user("long");
    wait_until_written();  // the writer's chunk holds it as open
    usleep(50'000);
    end_range(kLaneUser);
    begin_user("after");
    usleep(20'000);
    kill(getpid(), SIGKILL);
  });
  salvage(folder_.string(), {});
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("long", "after"));
  EXPECT_LE(trace.host_ranges().end[0], trace.host_ranges().begin[1]);
  EXPECT_GE(trace.host_ranges().end[0] - trace.host_ranges().begin[0], 50'000'000);
}

// With its correlation id, by which it owns what it launched.
TEST_F(SalvageTest, ACallAcrossTheLastFlushIsWhole) {
  status_of([] {
    name_call(3, "cudaLaunchKernel");
    begin_user("step");
    begin_call(3, HostKind::runtime_call, 0, 77, kNoStream, 0);
    usleep(300'000);  // flushed meanwhile, but for the call's begin
    end_range(kLaneCall);
    kill(getpid(), SIGKILL);
  });
  salvage(folder_.string(), {});
  const Trace trace = read();
  EXPECT_THAT(trace.calls().correlation, ElementsAre(77U));
  ASSERT_THAT(names_of(trace), ElementsAre("step", "cudaLaunchKernel"));
  EXPECT_GE(trace.host_ranges().end[1] - trace.host_ranges().begin[1], 300'000'000);
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

void write_wildly(const fs::path& file, std::size_t from, std::size_t bytes, std::mt19937& random) {
  FILE* out = std::fopen(file.c_str(), "r+e");
  for (int i = 0; i < 100; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    std::fseek(out, static_cast<long>(from + random() % (bytes / 4) * 4), SEEK_SET);
    std::fwrite(&word, sizeof word, 1, out);
  }
  std::fclose(out);
}

// A program that dies of a wild write may have written into its rings and names.
TEST_F(SalvageTest, WildWritesIntoTheFilesHarmNobody) {
  constexpr std::uint32_t kSlots = 1U << 14U;
  status_of(
      [] {
        for (int i = 0; i < 2'000; ++i) {
          begin_range(kLaneFunction, HostKind::op, ranged("step " + std::to_string(i)),
                      name("category"), intern_site(name("a.py"), 7, name("f")), 1);
          end_range(kLaneFunction);
          if (i < 100) fact("key", "value");
        }
        kill(getpid(), SIGKILL);
      },
      {.slots = kSlots, .flush_ms = 10'000});
  const fs::path live = folder_ / "live", whole = folder_ / "whole";
  fs::rename(live, whole);
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    fs::copy(whole, live);
    for (const auto& file : fs::directory_iterator(live)) {
      if (file.path().extension() == ".ring") {
        write_wildly(file, kRingHeaderBytes, kSlots * sizeof(Slot), random);
      } else {
        write_wildly(file, kNamesOffset, 1'000 * sizeof(NameEntry), random);
        write_wildly(file, kSitesOffset, 2 * sizeof(SiteEntry), random);
        write_wildly(file, kLogOffset, 100 * sizeof(LogEntry), random);
      }
    }
    const pid_t child = fork();
    if (child == 0)
      [&]() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose shadow is larger
        const rlimit memory{1U << 30U, 1U << 30U};
        setrlimit(RLIMIT_AS, &memory);
#endif
        _exit(static_cast<int>(salvage(folder_.string(), {}).recovered));
      }();
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "round " << round;
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_GT(read().host_ranges().size(), 1'000U);
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() == ".sst") fs::remove(file);
    }
  }
}

class LiveSalvageTest : public SalvageTest {
 protected:
  // Runs `while_it_lives` beside a process that has recorded the range "alive".
  void beside(const std::function<void()>& in_the_process,
              const std::function<void()>& while_it_lives) {
    int ready[2], go[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(go), 0);
    std::thread recording([&] {
      record([&] {
        begin_user("alive");
        end_range(kLaneUser);
        in_the_process();
        char byte = 0;
        (void)!write(ready[1], &byte, 1);
        (void)!::read(go[0], &byte, 1);
      });
    });
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    while_it_lives();
    ASSERT_EQ(write(go[1], &byte, 1), 1);
    recording.join();
    for (const int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
  }

  // Writes into the only session's header.
  template <class T>
  void change(std::size_t offset, const T& value) {
    for (const auto& file : fs::directory_iterator(folder_ / "live")) {
      if (file.path().extension() != ".session") continue;
      FILE* out = std::fopen(file.path().c_str(), "r+e");
      std::fseek(out, static_cast<long>(offset), SEEK_SET);
      std::fwrite(&value, sizeof value, 1, out);
      std::fclose(out);
    }
  }
  void move_to_another_boot() {
    change(offsetof(SessionHeader, home) + offsetof(ProcessHome, boot), std::array<char, 40>{"x"});
  }
  void move_to_another_host() {
    change(offsetof(SessionHeader, home) + offsetof(ProcessHome, host), std::array<char, 64>{"y"});
  }
  void record_and_be_killed() {
    status_of([] {
      begin_user("last");
      end_range(kLaneUser);
      kill(getpid(), SIGKILL);
    });
  }
};

TEST_F(LiveSalvageTest, ALiveProcessIsLeftAlone) {
  beside([] {}, [this] { EXPECT_EQ(salvage(folder_.string(), {}).running, 1U); });
  EXPECT_THAT(names_of(read()), ElementsAre("alive"));
}

TEST_F(LiveSalvageTest, AProcessThatClosedAllDescriptorsLives) {
  beside(
      [] {
        for (int number = 100; number < 1100; ++number) close(number);
      },
      [this] { EXPECT_EQ(salvage(folder_.string(), {}).running, 1U); });
  EXPECT_THAT(names_of(read()), ElementsAre("alive"));
}

TEST_F(LiveSalvageTest, WithoutALockThePidTellsWhoLives) {
  beside([] {},
         [this] {
           change(offsetof(SessionHeader, mapping_holds_lock), std::uint32_t{0});
           EXPECT_EQ(salvage(folder_.string(), {}, Depth::quick).running, 1U);
           EXPECT_EQ(salvage(folder_.string(), {}).running, 1U);
         });
  EXPECT_THAT(names_of(read()), ElementsAre("alive"));
}

// Its pid there is no process's here, or another's.
TEST_F(LiveSalvageTest, AProcessOfAnotherPidNamespaceIsDeadWhenItIsDead) {
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  std::thread recording([&] {
    status_of([&] {
      if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(0);
      if (fork() == 0) {
        begin_user("there");
        end_range(kLaneUser);
        char byte = 0;
        (void)!write(ready[1], &byte, 1);
        (void)!::read(go[0], &byte, 1);
        _exit(0);  // without a word: pid 1 cannot kill itself
      }
      close(ready[1]);
      wait(nullptr);
    });
    close(ready[1]);
  });
  char byte = 0;
  const bool may_unshare = ::read(ready[0], &byte, 1) == 1;
  if (may_unshare) {
    for (const Depth depth : {Depth::quick, Depth::full}) {
      const Salvage salvaged = salvage(folder_.string(), {}, depth);
      EXPECT_EQ(salvaged.running, 1U);
      EXPECT_EQ(salvaged.recovered, 0U);
    }
    EXPECT_EQ(write(go[1], &byte, 1), 1);
  }
  recording.join();
  for (const int fd : {ready[0], go[0], go[1]}) close(fd);
  if (!may_unshare) GTEST_SKIP() << "no pid namespace may be made here";
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  EXPECT_THAT(names_of(read()), ElementsAre("there"));
}

TEST_F(LiveSalvageTest, WhatAnotherMachineLeftIsLeftAlone) {
  record_and_be_killed();
  move_to_another_boot();
  move_to_another_host();
  EXPECT_EQ(salvage(folder_.string(), {}).running, 1U);
  EXPECT_GT(count_files(".ring"), 0U);
}

TEST_F(LiveSalvageTest, WhatRanBeforeTheMachineStartedAnewIsDead) {
  record_and_be_killed();
  move_to_another_boot();
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  EXPECT_THAT(names_of(read()), ElementsAre("last"));
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

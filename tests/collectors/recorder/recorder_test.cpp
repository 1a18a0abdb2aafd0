// SPDX-License-Identifier: Apache-2.0
// Each test records in a forked child, because a process has one recorder, and reads the folder
// back.
#include "collectors/recorder/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <thread>

#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/process_state.hpp"
#include "collectors/recorder/salvage.hpp"
#include "core/store/reader.hpp"

namespace stepscope::recorder {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

NameId name(const std::string& text) {
  return intern_name(text.data(), text.size());
}

void begin_user(const std::string& text) {
  begin_range(kLaneUser, HostKind::user_scope, name(text), 0, 0, kNoSequence);
}

class RecorderTest : public testing::Test {
 protected:
  RecorderTest()
      : folder_(fs::temp_directory_path() / ("recorder_test." + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "live");
  }
  ~RecorderTest() override { fs::remove_all(folder_); }

  // Runs `body` in a child with the recorder armed; the status of waitpid.
  int record(const std::function<void()>& body, std::uint32_t slots = 1U << 12U,
             std::uint32_t flush_ms = 20) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string folder = folder_.string();
      if (!start({.folder = folder.c_str(), .ring_slots = slots, .flush_ms = flush_ms})) _exit(99);
      body();
      finish(ExitReason::exited, 0);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  Salvage salvage_all(const std::vector<ProcessEnd>& ends = {}) {
    return salvage(folder_.string(), ends);
  }

  Trace read() {
    Result<TraceData> data = read_scope(folder_);
    EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().message);
    return data.ok() ? Trace::build(std::move(*data)) : Trace::build(TraceData{});
  }

  std::size_t count_files(const std::string& extension) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      files += entry.path().extension() == extension ? 1U : 0U;
    }
    return files;
  }

  fs::path folder_;
};

std::vector<std::string> names_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const StringId id : trace.host_ranges().name) names.emplace_back(trace.text(id));
  return names;
}

TEST_F(RecorderTest, NothingRecordedWritesNothing) {
  record([] { fact("torch", "2.11"); });
  EXPECT_EQ(count_files(".sst"), 0U);
  EXPECT_TRUE(fs::is_empty(folder_ / "live"));
}

TEST_F(RecorderTest, PairsNestedRangesWithNameSiteCategoryAndSequence) {
  record([] {
    begin_user("step");
    const SiteRef site = intern_site(name("train.py"), 12, name("main"));
    begin_range(kLaneFunction, HostKind::op, name("aten::mm"), name("category"), site, 7);
    end_range(kLaneFunction);
    end_range(kLaneUser);
  });
  const Trace trace = read();
  const HostRanges& rows = trace.host_ranges();
  ASSERT_THAT(names_of(trace), ElementsAre("step", "aten::mm"));
  EXPECT_THAT(rows.kind, ElementsAre(HostKind::user_scope, HostKind::op));
  EXPECT_EQ(rows.parent[1], 0U);
  EXPECT_EQ(rows.sequence[1], 7U);
  EXPECT_EQ(trace.text(rows.category[1]), "category");
  const Site& site = trace.data().sites[rows.site[1]];
  EXPECT_EQ(trace.text(site.file), "train.py");
  EXPECT_EQ(site.line, 12U);
  EXPECT_EQ(trace.text(site.function), "main");
  EXPECT_LE(rows.begin[0], rows.begin[1]);
  EXPECT_GE(rows.end[0], rows.end[1]);
  EXPECT_EQ(count_files(".ring") + count_files(".session"), 0U);
}

TEST_F(RecorderTest, TimesAreThoseOfTheSystemClock) {
  const std::int64_t before = clock_ns(CLOCK_REALTIME);
  record([] {
    begin_user("sleep");
    usleep(50'000);
    end_range(kLaneUser);
  });
  const std::int64_t after = clock_ns(CLOCK_REALTIME);
  const Trace trace = read();
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  EXPECT_THAT(trace.host_ranges().begin[0], AllOf(Ge(before), Le(after)));
  EXPECT_THAT(trace.host_ranges().end[0], AllOf(Ge(before + 50'000'000), Le(after)));
}

TEST_F(RecorderTest, LanesAreStacksOfTheirOwn) {
  record([] {
    begin_range(kLaneFunction, HostKind::op, name("op"), 0, 0, kNoSequence);
    begin_range(kFirstNvtxLane, HostKind::nvtx_range, name("nvtx"), 0, 0, kNoSequence);
    end_range(kLaneFunction);  // crosses the other
    usleep(10);                // a time-stamp counter may advance in steps of 10 ns
    end_range(kFirstNvtxLane);
  });
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("op", "nvtx"));
  EXPECT_LT(trace.host_ranges().end[0], trace.host_ranges().end[1]);
}

TEST_F(RecorderTest, AnEndWithoutItsBeginIsIgnored) {
  record([] {
    begin_user("only");
    end_range(kLaneUser);
    end_range(kLaneUser);
  });
  EXPECT_THAT(names_of(read()), ElementsAre("only"));
}

TEST_F(RecorderTest, AFullRingDropsWholeRangesAndCountsThem) {
  constexpr std::uint64_t kRanges = 5'000;
  record(
      [] {
        begin_user("outer");
        // The writer looks once in 10 s, and a small ring is full before it is called.
        for (std::uint64_t i = 0; i < kRanges; ++i) {
          begin_range(kLaneFunction, HostKind::op, name("inner"), 0, 0, kNoSequence);
          end_range(kLaneFunction);
        }
        end_range(kLaneUser);
      },
      64, 10'000);
  const Trace trace = read();
  const std::uint64_t kept = trace.host_ranges().size();
  EXPECT_GT(trace.health().dropped_records, 0U);
  EXPECT_EQ(kept + trace.health().dropped_records, kRanges + 1);
  EXPECT_THAT(names_of(trace), Contains("outer"));
  EXPECT_EQ(trace.health().crossing_ranges, 0U);
  for (const std::int64_t end : trace.host_ranges().end) EXPECT_LE(end, trace.host_ranges().end[0]);
}

// How much of it the writer catches depends on the machine's load; what it catches is whole and in
// order.
TEST_F(RecorderTest, RecordsStayInOrderThroughASmallRingManyTimesOver) {
  constexpr std::uint32_t kRanges = 20'000, kSlots = 1U << 11U;
  record(
      [] {
        for (std::uint32_t i = 0; i < kRanges; ++i) {
          begin_range(kLaneUser, HostKind::user_scope, name("n"), 0, 0, i);
          end_range(kLaneUser);
          if (i % 200 == 199) usleep(2'000);
        }
      },
      kSlots, 1);
  const Trace trace = read();
  const HostRanges& rows = trace.host_ranges();
  EXPECT_EQ(rows.size() + trace.health().dropped_records, kRanges);
  EXPECT_GT(rows.size(), kSlots);  // twice round at the least
  EXPECT_TRUE(std::is_sorted(rows.sequence.begin(), rows.sequence.end()));
  for (std::size_t row = 0; row < rows.size(); ++row) ASSERT_GE(rows.end[row], rows.begin[row]);
}

TEST_F(RecorderTest, EveryThreadHasItsOwnRows) {
  constexpr int kThreads = 8, kRanges = 500;
  record([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < kRanges; ++i) {
          begin_user("thread" + std::to_string(t));
          end_range(kLaneUser);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const Trace trace = read();
  EXPECT_EQ(trace.data().threads.size(), static_cast<std::size_t>(kThreads));
  EXPECT_EQ(trace.host_ranges().size(), static_cast<std::size_t>(kThreads * kRanges));
  for (ThreadId thread = 0; thread < trace.data().threads.size(); ++thread) {
    EXPECT_EQ(trace.ranges_of(thread).size(), static_cast<std::uint32_t>(kRanges));
  }
}

TEST_F(RecorderTest, ARangeMayEndOnAnotherThread) {
  record([] {
    begin_process_range(42, name("request"), name("domain"));
    std::thread([] { end_process_range(42); }).join();
  });
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("request"));
  EXPECT_EQ(trace.text(trace.host_ranges().category[0]), "domain");
}

TEST_F(RecorderTest, FactsLabelsNotesAndCountersArrive) {
  record([] {
    fact("torch", "2.11.0");
    fact("process.rank", "3");
    note("a note");
    begin_user("x");
    end_range(kLaneUser);
    label(LabelKind::thread, static_cast<std::uint64_t>(gettid()), name("trainer"));
    count_site_lookup(true);
    count_site_lookup(false);
    collecting(Collector::user_scopes);
  });
  const Trace trace = read();
  ASSERT_EQ(trace.data().processes.size(), 1U);
  const Process& about = trace.data().processes[0];
  EXPECT_EQ(about.facts.at("torch"), "2.11.0");
  EXPECT_EQ(about.rank, 3);
  const std::int64_t cpu_ns = std::stoll(about.facts.at("writer.cpu_ns"));
  EXPECT_GT(std::stoll(about.facts.at("writer.decode_ns")), 0);
  EXPECT_LT(std::stoll(about.facts.at("writer.decode_ns")), cpu_ns);
  EXPECT_EQ(about.exit_reason, ExitReason::exited);
  EXPECT_EQ(trace.data().threads[0].name, "trainer");
  EXPECT_THAT(trace.health().notes, Contains("a note"));
  EXPECT_EQ(trace.health().sites_wanted, 2U);
  EXPECT_EQ(trace.health().sites_found, 1U);
  EXPECT_TRUE(trace.collected().user_scopes);
  EXPECT_FALSE(trace.collected().framework_ops);
}

TEST_F(RecorderTest, AKilledProcessLosesNothingThatWasRecorded) {
  const int status = record([] {
    begin_user("open");
    for (int i = 0; i < 1'000; ++i) {
      begin_range(kLaneFunction, HostKind::op, name("op"), 0, 0, kNoSequence);
      end_range(kLaneFunction);
      if (i == 500) usleep(1'200'000);  // behind the writer's first chunk
    }
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const Salvage salvaged = salvage_all();
  EXPECT_EQ(salvaged.recovered, 1U);
  EXPECT_TRUE(salvaged.problems.empty());
  const Trace trace = read();
  EXPECT_EQ(trace.host_ranges().size(), 1'001U);
  EXPECT_THAT(names_of(trace), Contains("open"));  // ended by the reader at the last time
  EXPECT_EQ(count_files(".ring") + count_files(".session"), 0U);
}

TEST_F(RecorderTest, NodesOfGraphsArriveWithTimeThreadAndLine) {
  record([] {
    begin_user("encode");
    graph_node(0x1'0000'0001, 0, intern_site(name("train.py"), 12, name("main")));
    end_range(kLaneUser);
    graph_node(0x2'0000'0001, 0x1'0000'0001, 0);
  });
  const Trace trace = read();
  const GraphNodes& nodes = trace.graph_nodes();
  EXPECT_THAT(nodes.node, ElementsAre(0x1'0000'0001U, 0x2'0000'0001U));
  EXPECT_THAT(nodes.original, ElementsAre(0U, 0x1'0000'0001U));
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  EXPECT_THAT(nodes.time[0],
              AllOf(Ge(trace.host_ranges().begin[0]), Le(trace.host_ranges().end[0])));
  EXPECT_GE(nodes.time[1], trace.host_ranges().end[0]);
  EXPECT_EQ(nodes.thread[0], trace.host_ranges().thread[0]);
  ASSERT_NE(nodes.site[0], kNone);
  EXPECT_EQ(trace.data().sites[nodes.site[0]].line, 12U);
  EXPECT_EQ(nodes.site[1], kNone);
}

// The second range is open while a chunk is written, so its row is in a later one.
TEST_F(RecorderTest, AMessageBelongsToTheInnermostOpenRangeOfItsLane) {
  record([] {
    const std::uint16_t nccl = kFirstNvtxLane, other = kFirstNvtxLane + 1;
    collective(nccl, {.communicator = 1, .bytes = 1});  // of no range
    begin_range(nccl, HostKind::nvtx_range, name("ncclAllReduce"), name("NCCL"), 0, kNoSequence);
    begin_range(other, HostKind::nvtx_range, name("inner"), 0, 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 4096, .reduce = ReduceOperation::average});
    end_range(other);
    end_range(nccl);
    begin_range(nccl, HostKind::nvtx_range, name("ncclSend"), name("NCCL"), 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 8, .peer = 3});
    usleep(1'200'000);
    end_range(nccl);
  });
  const Trace trace = read();
  const Collectives& rows = trace.data().collectives;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(trace.text(trace.host_ranges().name[rows.range[0]]), "ncclAllReduce");
  EXPECT_EQ(trace.text(trace.host_ranges().name[rows.range[1]]), "ncclSend");
  EXPECT_THAT(rows.communicator, Each(0xfeedU));
  EXPECT_THAT(rows.bytes, ElementsAre(4096U, 8U));
  EXPECT_THAT(rows.reduce, ElementsAre(ReduceOperation::average, ReduceOperation::none));
  EXPECT_THAT(rows.peer, ElementsAre(kNone, 3U));
}

TEST_F(RecorderTest, NodesAndMessagesOfAKilledProcessAreInItsRings) {
  record(
      [] {
        begin_range(kFirstNvtxLane, HostKind::nvtx_range, name("ncclAllReduce"), 0, 0, kNoSequence);
        collective(kFirstNvtxLane, {.communicator = 7, .bytes = 64});
        end_range(kFirstNvtxLane);
        graph_node(5, 0, 0);
        kill(getpid(), SIGKILL);
      },
      1U << 12U, 10'000);
  EXPECT_EQ(salvage_all().recovered, 1U);
  const Trace trace = read();
  EXPECT_THAT(trace.data().collectives.bytes, ElementsAre(64U));
  EXPECT_THAT(trace.graph_nodes().node, ElementsAre(5U));
}

TEST_F(RecorderTest, ARangeOpenAcrossTheLastFlushEndsWhereTheRingSaysSo) {
  record([] {
    begin_user("long");
    usleep(1'200'000);  // the writer's chunk holds it as open
    end_range(kLaneUser);
    begin_user("after");
    usleep(20'000);
    kill(getpid(), SIGKILL);
  });
  salvage_all();
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("long", "after"));
  EXPECT_LE(trace.host_ranges().end[0], trace.host_ranges().begin[1]);
  EXPECT_GE(trace.host_ranges().end[0] - trace.host_ranges().begin[0], 1'200'000'000);
}

TEST_F(RecorderTest, AForkedChildWritesItsOwnFileAndKeepsTheParentsNames) {
  record([] {
    const NameId known = name("known before the fork");
    begin_user("parent");
    const pid_t child = fork();
    if (child == 0) {
      end_range(kLaneUser);  // of a range that the parent began
      begin_range(kLaneUser, HostKind::user_scope, known, 0, 0, kNoSequence);
      end_range(kLaneUser);
      begin_user("new in the child");
      end_range(kLaneUser);
      _exit(0);  // as multiprocessing does: no handler runs
    }
    waitpid(child, nullptr, 0);
    end_range(kLaneUser);
  });
  EXPECT_EQ(salvage_all().recovered, 1U);
  const Trace trace = read();
  EXPECT_EQ(trace.data().processes.size(), 2U);
  EXPECT_THAT(names_of(trace),
              testing::UnorderedElementsAre("parent", "known before the fork", "new in the child"));
}

TEST_F(RecorderTest, ALiveProcessIsLeftAlone) {
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
  EXPECT_EQ(salvage_all().running, 1U);
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  recording.join();
  EXPECT_THAT(names_of(read()), ElementsAre("alive"));
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenSwitchesRecordingOff) {
  fs::remove_all(folder_ / "live");
  const int status = record([] {
    begin_user("nowhere");
    end_range(kLaneUser);
    if (recording()) _exit(1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count_files(".sst"), 0U);
}

TEST(TickConverter, FollowsTheClockAndStaysOnLinesBetweenPairs) {
  TickConverter clock(false);
  clock.add({1'000, 5'000'000, 5'000'000, 0});
  EXPECT_TRUE(clock.add({2'000'001'000, 1'005'000'000, 1'005'000'000, 0}));  // 2 ticks a ns
  EXPECT_EQ(clock.to_ns(1'000), 5'000'000);
  EXPECT_EQ(clock.to_ns(1'000'001'000), 505'000'000);
  EXPECT_EQ(clock.to_ns(2'000'003'000), 1'005'001'000);  // beyond the last pair
}

TEST(TickConverter, AClockThatWasSetStartsANewLine) {
  TickConverter clock(false);
  clock.add({0, 0, 0, 0});
  clock.add({1'000'000'000, 1'000'000'000, 1'000'000'000, 0});
  EXPECT_FALSE(clock.add({2'000'000'000, 9'000'000'000, 2'000'000'000, 0}));
  EXPECT_EQ(clock.to_ns(1'500'000'000), 1'500'000'000);
  EXPECT_EQ(clock.to_ns(2'000'000'500), 9'000'000'500);
}

// Gives one counter row each time it is asked, and says that it dropped as many.
class CountingSource final : public RowSource {
 public:
  CountingSource(const char* track, std::uint64_t dropped) : track_(track), dropped_(dropped) {}
  bool due(std::int64_t /*now_ns*/) noexcept override { return !asked_; }
  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override {
    batch.counters.time.push_back(clock_ns(CLOCK_REALTIME));
    batch.counters.track.push_back(store.intern(track_));
    batch.counters.process.push_back(0);
    batch.counters.value.push_back(last ? 1 : 0);
    asked_ = true;
    return false;
  }
  Totals totals() const noexcept override { return {.dropped = dropped_}; }

 private:
  const char* track_;
  std::uint64_t dropped_;
  bool asked_ = false;
};

std::vector<std::string> counters_of(const Trace& trace) {
  std::vector<std::string> out;
  const Counters& rows = trace.data().counters;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string track(trace.text(rows.track[row]));
    if (!track.starts_with(kThreadCpuTrack))
      out.push_back(track + (rows.value[row] > 0 ? "!" : ""));
  }
  return out;
}

TEST_F(RecorderTest, EachOfSeveralSourcesIsAskedAndAskedALastTime) {
  record([] {
    static CountingSource first("first", 3);
    static CountingSource second("second", 4);
    add_row_source(&first);
    begin_user("step");
    add_row_source(&second);  // also while the writer runs
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop_row_sources(5);
    end_range(kLaneUser);
  });
  const Trace trace = read();
  EXPECT_THAT(counters_of(trace),
              testing::UnorderedElementsAre("first", "second", "first!", "second!"));
  EXPECT_EQ(trace.health().dropped_records, 7U);
}

TEST_F(RecorderTest, AForkedChildHasNoSourcesOfItsParent) {
  record([] {
    static CountingSource source("parent", 0);
    add_row_source(&source);
    begin_user("parent");
    end_range(kLaneUser);
    if (fork() == 0) {
      begin_user("child");
      end_range(kLaneUser);
      stop_row_sources(5);
      finish(ExitReason::exited, 0);
      _exit(0);
    }
    wait(nullptr);
  });
  const Trace trace = read();
  EXPECT_THAT(names_of(trace), testing::UnorderedElementsAre("parent", "child"));
  EXPECT_THAT(counters_of(trace), Contains("parent!").Times(1));
}

TEST_F(RecorderTest, MoreSourcesThanFitAreRefused) {
  const int status = record([] {
    static CountingSource source("many", 0);
    for (std::uint32_t i = 0; i < kMaxRowSources; ++i) EXPECT_TRUE(add_row_source(&source));
    EXPECT_FALSE(add_row_source(&source));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
  EXPECT_EQ(status, 0);
}

TEST_F(RecorderTest, LockFilesGoWithTheLastProcess) {
  const auto touch = [](const fs::path& path) { std::fclose(std::fopen(path.c_str(), "w")); };
  touch(folder_ / "live" / "host.gpus.lock");
  touch(folder_ / "live" / "other.file");
  salvage(folder_.string(), {}, Depth::quick);
  EXPECT_TRUE(fs::exists(folder_ / "live" / "host.gpus.lock"));
  salvage_all();
  EXPECT_FALSE(fs::exists(folder_ / "live" / "host.gpus.lock"));
  EXPECT_TRUE(fs::exists(folder_ / "live" / "other.file"));
  fs::remove(folder_ / "live" / "other.file");
  salvage_all();
  EXPECT_FALSE(fs::exists(folder_ / "live"));
}

}  // namespace
}  // namespace stepscope::recorder

// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/row_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "collectors/recorder/clock.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::Contains;

using RowSourceTest = RecordedChild;

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

TEST_F(RowSourceTest, EachOfSeveralSourcesIsAskedAndAskedALastTime) {
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

TEST_F(RowSourceTest, AForkedChildHasNoSourcesOfItsParent) {
  record(
      [] {
        static CountingSource source("parent", 0);
        add_row_source(&source);
        begin_user("parent");
        end_range(kLaneUser);
        if (fork_while_others_sleep() == 0) {
          begin_user("child");
          end_range(kLaneUser);
          stop_row_sources(5);
          finish(ExitReason::exited, 0);
          _exit(0);
        }
        wait(nullptr);
      },
      {.flush_ms = 10'000});
  const Trace trace = read();
  EXPECT_THAT(names_of(trace), testing::UnorderedElementsAre("parent", "child"));
  EXPECT_THAT(counters_of(trace), Contains("parent!").Times(1));
}

TEST_F(RowSourceTest, MoreSourcesThanFitAreRefused) {
  record([] {
    static CountingSource source("many", 0);
    for (std::uint32_t i = 0; i < kMaxRowSources; ++i) EXPECT_TRUE(add_row_source(&source));
    EXPECT_FALSE(add_row_source(&source));
    _exit(HasFailure() ? 1 : 0);
  });
}

}  // namespace
}  // namespace stepscope::recorder

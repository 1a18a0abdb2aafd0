// SPDX-License-Identifier: Apache-2.0
// What a process with a plan writes.
#include "collectors/recorder/capture/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "collectors/recorder/process_state.hpp"
#include "core/model/losses.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Keeps how the writer thread switched the device's collector: 1 for on, 0 for off.
class ListeningSource final : public RowSource {
 public:
  bool due(std::int64_t /*now_ns*/) noexcept override { return false; }
  bool collect(EventBatch& /*batch*/, StoreWriter& /*store*/, bool /*last*/) noexcept override {
    return false;
  }
  double set_capturing(bool on) noexcept override {
    const std::scoped_lock hold(lock_);
    told_ += on ? '1' : '0';
    return on ? 1 : 0;
  }
  Totals totals() const noexcept override { return {}; }
  std::string told() const {
    const std::scoped_lock hold(lock_);
    return told_;
  }

 private:
  mutable std::mutex lock_;
  std::string told_;
};

class CaptureTest : public RecordedChild {
 protected:
  void record(const CapturePlan& plan, const char* range, const std::function<void()>& body,
              const Rings& rings = {}) {
    RecordedChild::record(
        [&] {
          plan_capture(plan, range);
          body();
        },
        rings);
    trace_ = read();
  }

  std::vector<std::string> names(HostKind kind) const {
    std::vector<std::string> out;
    const HostRanges& h = trace_.host_ranges();
    for (RangeId i = 0; i < h.size(); ++i) {
      if (h.kind[i] == kind) out.emplace_back(trace_.text(h.name[i]));
    }
    return out;
  }

  std::vector<double> states() const {
    std::vector<double> out;
    const Counters& c = trace_.data().counters;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (trace_.text(c.track[i]) == kCaptureTrack) out.push_back(c.value[i]);
    }
    return out;
  }

  Trace trace_ = Trace::build(TraceData{});
};

void step(int number) {
  begin(kLaneUser, HostKind::user_scope, "step " + std::to_string(number));
  begin(kLaneFunction, HostKind::op, "op " + std::to_string(number));
  end_range(kLaneFunction);
  end_range(kLaneUser);
}

TEST_F(CaptureTest, InWindowsAllMarksAreTakenAndSomeSteps) {
  record({.window_on = 2, .window_off = 3}, nullptr, [] {
    for (int i = 0; i < 8; ++i) step(i);
  });
  EXPECT_EQ(names(HostKind::user_scope).size(), 8U);
  EXPECT_THAT(names(HostKind::op), ElementsAre("op 0", "op 1", "op 5", "op 6"));
  EXPECT_THAT(states(), ElementsAre(0, 1, 0));
}

// An optimizer inside a step's own range: the range counts, whichever kinds the two are of.
TEST_F(CaptureTest, TheOutermostMarkCounts) {
  record({.take_steps = 1}, nullptr, [] {
    for (int i = 0; i < 2; ++i) {
      begin(kFirstNvtxLane, HostKind::nvtx_range, "step " + std::to_string(i));
      begin(kLaneUser, HostKind::user_scope, "Optimizer.step#SGD.step");
      end_range(kLaneUser);
      begin(kLaneFunction, HostKind::op, "log " + std::to_string(i));
      end_range(kLaneFunction);
      end_range(kFirstNvtxLane);
    }
  });
  EXPECT_THAT(names(HostKind::op), ElementsAre("log 0"));
}

TEST_F(CaptureTest, ARunThatStartsLaterSaysSo) {
  record({.after_steps = 2, .take_steps = 1}, nullptr, [] {
    for (int i = 0; i < 6; ++i) step(i);
  });
  EXPECT_THAT(names(HostKind::op), ElementsAre("op 2"));
  EXPECT_THAT(states(), ElementsAre(0, 1, 0));
}

// The table of names has 262,144 entries; the ring holds all marks. The writer may be long behind.
TEST_F(CaptureTest, ARunOfMoreStepsThanThereAreNamesIsCountedToItsEnd) {
  constexpr int kAfter = 299'990;
  record({.after_steps = kAfter}, nullptr,
         [] {
           for (int i = 0; i < 300'000; ++i) {
             EXPECT_FALSE(i == kAfter - 1 && is_capturing());
             begin(kFirstNvtxLane, HostKind::nvtx_range, "step " + std::to_string(i));
             end_range(kFirstNvtxLane);
           }
           for (int i = 0; i < 3'000 && !is_capturing(); ++i) usleep(10'000);
           begin(kLaneFunction, HostKind::op, "work");
           end_range(kLaneFunction);
         },
         {.slots = 1U << 20U});
  EXPECT_THAT(names(HostKind::op), ElementsAre("work"));
  EXPECT_THAT(states(), ElementsAre(0, 1));
  EXPECT_EQ(names(HostKind::nvtx_range).size(), 300'000U);
  EXPECT_EQ(names(HostKind::nvtx_range).back(), "step 299999");
}

TEST_F(CaptureTest, ARangeIsTheTriggerWithEverythingInside) {
  record({.by_trigger = true}, "hot", [] {
    step(0);
    begin(kLaneUser, HostKind::user_scope, "hot");
    begin(kLaneFunction, HostKind::op, "inside");
    end_range(kLaneFunction);
    end_range(kLaneUser);
    step(1);
  });
  EXPECT_THAT(names(HostKind::op), ElementsAre("inside"));
  EXPECT_THAT(names(HostKind::user_scope), ElementsAre("step 0", "hot", "step 1"));
}

// Each trigger takes its steps, and the next one takes them again.
TEST_F(CaptureTest, StepsAreCountedFromEachTrigger) {
  record({.take_steps = 1, .by_trigger = true}, nullptr, [] {
    step(0);
    trigger_capture(true);
    step(1);
    step(2);
    trigger_capture(true);
    step(3);
    step(4);
  });
  EXPECT_THAT(names(HostKind::op), ElementsAre("op 1", "op 3"));
}

// Deeper than the lane remembers bit by bit.
TEST_F(CaptureTest, ManyRangesBegunAtAClosedGateDoNotHarmTheThread) {
  record({.by_trigger = true}, nullptr, [] {
    for (int i = 0; i < 200; ++i) begin(kLaneFunction, HostKind::op, "lost");
    trigger_capture(true);
    begin(kLaneFunction, HostKind::op, "inside");
    end_range(kLaneFunction);
    for (int i = 0; i < 200; ++i) end_range(kLaneFunction);
    for (int i = 0; i < 100; ++i) {
      begin(kLaneFunction, HostKind::op, "later");
      end_range(kLaneFunction);
    }
  });
  EXPECT_THAT(names(HostKind::op), testing::Contains("later").Times(100));
  EXPECT_THAT(names(HostKind::op), testing::Not(testing::Contains("lost")));
}

TEST_F(CaptureTest, ASignalsToggleIsFollowedSoon) {
  record({.by_trigger = true}, nullptr, [] {
    step(0);
    toggle_capture_soon();
    for (int i = 0; i < 500 && !is_capturing(); ++i) usleep(10'000);
    step(1);
    toggle_capture_soon();
    for (int i = 0; i < 500 && is_capturing(); ++i) usleep(10'000);
    step(2);
  });
  EXPECT_THAT(names(HostKind::op), ElementsAre("op 1"));
}

// A range that is open while the gate closes ends in time, and those begun behind it leave no ends.
TEST_F(CaptureTest, RangesAcrossTheGateStayInStep) {
  record({.by_trigger = true}, nullptr, [] {
    trigger_capture(true);
    begin(kLaneFunction, HostKind::op, "first");
    for (int i = 0; i < 500 && !is_capturing(); ++i) usleep(10'000);
    begin(kLaneFunction, HostKind::op, "outer");
    trigger_capture(false);
    begin(kLaneFunction, HostKind::op, "lost");
    trigger_capture(true);
    end_range(kLaneFunction);
    begin(kLaneFunction, HostKind::op, "inner");
    end_range(kLaneFunction);
    end_range(kLaneFunction);
    end_range(kLaneFunction);
  });
  const std::vector<std::string> ops = names(HostKind::op);
  EXPECT_THAT(ops, testing::IsSupersetOf({"outer", "inner"}));
  EXPECT_THAT(ops, testing::Not(testing::Contains("lost")));
  const HostRanges& h = trace_.host_ranges();
  for (RangeId i = 0; i < h.size(); ++i) {
    if (trace_.text(h.name[i]) != "inner") continue;
    EXPECT_EQ(trace_.text(h.name[h.parent[i]]), "outer");
  }
}

TEST_F(CaptureTest, ACallThatIsOpenWhileTheGateClosesEndsThere) {
  record({.by_trigger = true}, nullptr, [] {
    begin(kLaneUser, HostKind::user_scope, "step 1");  // opens the session
    end_range(kLaneUser);
    trigger_capture(true);
    name_call(1, "cudaStreamSynchronize");
    begin_call(1, HostKind::runtime_call, 0, 7, kNoStream, 0);
    trigger_capture(false);
    usleep(200'000);
    forget_calls();
    trigger_capture(true);
    begin_call(1, HostKind::runtime_call, 0, 8, kNoStream, 0);
    end_range(kLaneCall);
  });
  ASSERT_EQ(trace_.calls().size(), 2U);
  const HostRanges& h = trace_.host_ranges();
  EXPECT_LT(h.end[trace_.calls().range[0]] - h.begin[trace_.calls().range[0]], 150'000'000);
  EXPECT_EQ(trace_.calls().correlation[1], 8U);
}

TEST_F(CaptureTest, AStepMarkEndsWhenTheDeviceIsSwitched) {
  record({.window_on = 1, .window_off = 1}, nullptr, [] {
    static ListeningSource source;
    add_row_source(&source);
    std::string expected;
    for (int i = 0; i < 4; ++i) {
      step(i);
      expected += i % 2 == 0 ? '0' : '1';
      EXPECT_EQ(source.told(), expected);
    }
  });
}

// CUPTI would never see the end of it.
TEST_F(CaptureTest, TheDeviceIsNotSwitchedOffInAnotherThreadsCall) {
  record({.take_steps = 1}, nullptr, [] {
    static ListeningSource source;
    add_row_source(&source);
    static std::atomic<int> in_call{0};
    static std::string told_in_call;
    std::thread other([] {
      begin_call(1, HostKind::runtime_call, 0, 7, kNoStream, 0);
      in_call = 1;
      usleep(10'000);
      told_in_call = source.told();
      end_range(kLaneCall);
    });
    while (in_call == 0) usleep(100);
    step(0);
    other.join();
    EXPECT_EQ(told_in_call, "");
    EXPECT_EQ(source.told(), "0");
  });
}

TEST_F(CaptureTest, AChangeThatNoThreadAskedForWaitsForOneOutsideOfCalls) {
  record({.by_trigger = true}, nullptr, [] {
    static ListeningSource source;
    add_row_source(&source);
    trigger_capture(true);
    const std::string before = source.told();
    begin_call(1, HostKind::runtime_call, 0, 7, kNoStream, 0);
    toggle_capture_soon();
    wake_writer();
    usleep(30'000);
    const std::string in_the_call = source.told();
    end_range(kLaneCall);
    step(0);
    EXPECT_EQ(in_the_call, before);
    EXPECT_EQ(source.told(), before + "0");
  });
}

TEST_F(CaptureTest, AForkedChildCountsAnew) {
  record({.after_steps = 2}, nullptr, [] {
    step(0);
    step(1);
    EXPECT_TRUE(is_capturing());
    const pid_t child = fork();
    if (child == 0) _exit(is_capturing() ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST_F(CaptureTest, AProcessOfWhichNothingIsTakenStillTellsItsSteps) {
  record({.after_steps = 100}, nullptr, [] {
    for (int i = 0; i < 3; ++i) step(i);
  });
  EXPECT_THAT(names(HostKind::op), IsEmpty());
  EXPECT_EQ(names(HostKind::user_scope).size(), 3U);
  EXPECT_THAT(states(), ElementsAre(0));
  EXPECT_THAT(trace_.health().notes,
              testing::Contains(testing::AllOf(testing::StartsWith(std::string(kNothingRecorded)),
                                               testing::HasSubstr("ended before --start-after"))));
}

TEST_F(CaptureTest, AProgramWithoutStepMarksIsToldSo) {
  record({.after_steps = 1}, nullptr, [] {
    begin(kLaneFunction, HostKind::op, "op");
    end_range(kLaneFunction);
  });
  EXPECT_THAT(trace_.health().notes, testing::Contains(testing::HasSubstr("none was seen")));
}

}  // namespace
}  // namespace stepscope::recorder

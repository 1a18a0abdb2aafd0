// SPDX-License-Identifier: Apache-2.0
// What the allocator reports becomes counters in the file: the real recorder, each case in a forked
// child.
#include "collectors/torch_memory/memory_reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "collectors/recorder/capture/capture.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int8_t kCpu = 0, kCuda = 1;

class MemoryReportsTest : public RecordedChild {
 protected:
  std::vector<double> values(const char* track) {
    const Trace trace = read();
    const Counters& c = trace.data().counters;
    std::vector<double> out;
    for (std::size_t row = 0; row < c.size(); ++row) {
      if (trace.text(c.track[row]) == track) out.push_back(c.value[row]);
    }
    return out;
  }
};

TEST_F(MemoryReportsTest, EachAllocationIsARowAndWhatIsReservedWhereItChanges) {
  record([] {
    enable_memory_reports();
    on_memory_report(kCuda, 0, 512, 2U << 20U);
    on_memory_report(kCuda, 0, 1536, 2U << 20U);
    on_memory_report(kCuda, 0, 512, 2U << 20U);
    on_memory_report(kCuda, 0, 4U << 20U, 22U << 20U);
    on_memory_report(kCuda, 1, 100, 200);
  });
  EXPECT_THAT(values("gpu.0.allocator_allocated_bytes"), ElementsAre(512, 1536, 512, 4U << 20U));
  EXPECT_THAT(values("gpu.0.allocator_reserved_bytes"), ElementsAre(2U << 20U, 22U << 20U));
  EXPECT_THAT(values("gpu.1.allocator_allocated_bytes"), ElementsAre(100));
}

TEST_F(MemoryReportsTest, AmountsBeyond4GigabytesAreExact) {
  constexpr std::size_t kBytes = (std::size_t{141} << 30U) + 512;
  record([] {
    enable_memory_reports();
    on_memory_report(kCuda, 0, kBytes, kBytes);
  });
  EXPECT_THAT(values("gpu.0.allocator_allocated_bytes"), ElementsAre(double{kBytes}));
}

TEST_F(MemoryReportsTest, OtherDevicesAndLowerLevelsGiveNoRow) {
  record([] {
    on_memory_report(kCuda, 0, 1, 1);  // not enabled yet
    enable_memory_reports();
    recorder::mark(recorder::intern_name("m", 1), 0);
    on_memory_report(kCpu, 0, 2, 2);
    on_memory_report(kCuda, -1, 3, 3);
    on_memory_report(kCuda, 64, 4, 4);
  });
  EXPECT_EQ(read().data().marks.size(), 1U);
  EXPECT_THAT(values("gpu.0.allocator_allocated_bytes"), IsEmpty());
  EXPECT_THAT(values("gpu.64.allocator_allocated_bytes"), IsEmpty());
}

// Totals, so nothing is missing behind the gap.
TEST_F(MemoryReportsTest, APlanLeavesOutWhatItLeavesOut) {
  record([] {
    enable_memory_reports();
    recorder::plan_capture({.by_trigger = true}, nullptr);
    on_memory_report(kCuda, 0, 100, 100);
    recorder::trigger_capture(true);
    while (!recorder::is_capturing()) std::this_thread::yield();
    on_memory_report(kCuda, 0, 300, 400);
  });
  EXPECT_THAT(values("gpu.0.allocator_allocated_bytes"), ElementsAre(300));
  EXPECT_THAT(values("gpu.0.allocator_reserved_bytes"), ElementsAre(400));
}

TEST_F(MemoryReportsTest, ThreadsHaveRowsOfTheirOwn) {
  record([] {
    enable_memory_reports();
    on_memory_report(kCuda, 0, 1, 9);
    std::thread([] { on_memory_report(kCuda, 0, 2, 9); }).join();
  });
  EXPECT_THAT(values("gpu.0.allocator_allocated_bytes"), testing::UnorderedElementsAre(1, 2));
}

}  // namespace
}  // namespace stepscope

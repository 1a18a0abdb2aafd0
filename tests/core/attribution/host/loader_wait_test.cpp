// SPDX-License-Identifier: Apache-2.0
// The loop waits for its DataLoader in one step that is made by hand, and LoaderWait is compared with
// what the workers did meanwhile.
#include <gtest/gtest.h>

#include "core/attribution/attribution.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000, kBase = 1'700'000'000'000 * kMillisecond;
constexpr std::uint8_t kMakes = kSampleWorker | kSampleFetching;

class WaitingLoop {
 public:
  WaitingLoop() {
    make_.range(HostKind::op, "aten::mm", 1, kBase, kBase + 10 * kMillisecond);
    make_.range(HostKind::op, "aten::mm", 1, kBase + 110 * kMillisecond,
                kBase + 120 * kMillisecond);
    loop_ = make_.thread(1);
    add_sample(loop_, 15, kSampleInLoader);
  }
  void worker(std::int64_t tid, std::int64_t at_ms, std::uint8_t flags) {
    add_sample(make_.thread(tid), at_ms, flags);
  }
  LoaderWait loader() {
    Steps steps;
    steps.thread = loop_;
    steps.found_by = FoundBy::user_marker;
    Step step;
    step.window = step.host = {kBase, kBase + 120 * kMillisecond};
    steps.list.push_back(step);
    const Result<Attribution> made = attribute(make_.build(), steps);
    EXPECT_TRUE(made.ok());
    return made->loader;
  }

 private:
  void add_sample(ThreadId thread, std::int64_t at_ms, std::uint8_t flags) {
    Samples& s = make_.data.samples;
    s.thread.push_back(thread), s.time.push_back(kBase + at_ms * kMillisecond),
        s.site.push_back(line_);
    s.called.push_back(0), s.innermost.push_back(0), s.cpu.push_back(0);
    s.flags.push_back(flags), s.asleep_in.emplace_back();
  }

  TraceMaker make_;
  ThreadId loop_ = 0;
  SiteId line_ = make_.site("data.py", 1);
};

TEST(LoaderWait, AWorkerWhoseEndIsSeenLateIsNotCountedBesideTheNextEpochsFirst) {
  WaitingLoop loop;
  loop.worker(11, 20, kSampleWorker);
  loop.worker(12, 30, kMakes);
  loop.worker(11, 50, kSampleWorker | kSampleEnded);
  loop.worker(12, 60, kMakes);
  EXPECT_EQ(loop.loader().workers, 1U);
}

TEST(LoaderWait, CountsTheWorkersThatLivedInMostOfTheWait) {
  WaitingLoop loop;
  loop.worker(11, 20, kMakes);
  loop.worker(12, 30, kMakes);
  const LoaderWait loader = loop.loader();
  EXPECT_EQ(loader.workers, 2U);
  EXPECT_EQ(loader.seen_ns, 100 * kMillisecond);
  EXPECT_EQ(loader.busy_ns, (20 + 2 * 80) * kMillisecond);
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Which sample holds when, by hand; and on random traces: whatever the samples say, the parts still
// tile the steps, and what was not silent has the same owner as without samples.
#include "core/attribution/host/host_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/attribution/attribution.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

void add_sample(TraceData& data, ThreadId thread, std::int64_t time, SiteId site = kNone,
                std::uint64_t cpu = 0, std::uint8_t flags = 0) {
  Samples& s = data.samples;
  s.thread.push_back(thread), s.time.push_back(time), s.site.push_back(site);
  s.called.push_back(0), s.innermost.push_back(0);
  s.cpu.push_back(cpu), s.flags.push_back(flags), s.asleep_in.emplace_back();
}

Trace with_samples(const std::vector<std::int64_t>& times) {
  TraceData data;
  data.processes.resize(1);
  data.threads.resize(2);
  for (const std::int64_t time : times) add_sample(data, 1, time);
  return Trace::build(std::move(data));
}

TEST(HostSamples, EachHoldsUntilTheNextAndTheFirstFromTheSilencesBegin) {
  const Trace trace = with_samples({50, 110, 130, 250});
  const HostSamples samples(trace);
  const Interval silence{100, 200};
  EXPECT_EQ(samples.sample_before(1, silence, 101).row, 1U);
  EXPECT_EQ(samples.sample_before(1, silence, 101).time, (Interval{100, 130}));
  EXPECT_EQ(samples.sample_before(1, silence, 130).row, 1U);
  EXPECT_EQ(samples.sample_before(1, silence, 131).row, 2U);
  EXPECT_EQ(samples.sample_before(1, silence, 200).time, (Interval{130, 200}));
}

TEST(HostSamples, OfOtherSilencesAndThreadsSayNothing) {
  const Trace trace = with_samples({50, 250});
  const HostSamples samples(trace);
  EXPECT_EQ(samples.sample_before(1, {100, 200}, 150).row, kNone);
  EXPECT_EQ(samples.sample_before(1, {100, 200}, 150).time, (Interval{100, 200}));
  EXPECT_EQ(samples.sample_before(0, {0, 300}, 150).row, kNone);
  EXPECT_EQ(samples.sample_before(1, {100, 250}, 250).row, kNone) << "a silence's end is not in it";
}

TEST(HostSamples, AWorkerThatHasEndedIsNotBusyAnyMore) {
  TraceData data;
  data.processes.resize(1);
  data.threads.resize(3);
  data.threads[1].tid = 11, data.threads[2].tid = 12;
  data.sites.resize(2);
  constexpr std::uint8_t kBusy = kSampleWorker | kSampleFetching;
  add_sample(data, 1, 10, 1, 0, kBusy);
  add_sample(data, 2, 20, 1, 0, kBusy);
  add_sample(data, 1, 30, kNone, 0, kSampleWorker | kSampleEnded);
  const Trace trace = Trace::build(std::move(data));
  const HostSamples samples(trace);
  EXPECT_EQ(samples.workers_before(0, {0, 100}, 25).busy, 2U);
  EXPECT_EQ(samples.workers_before(0, {0, 100}, 60).busy, 1U);
  EXPECT_EQ(samples.workers_before(0, {0, 100}, 60).known, 1U);
}

// The loop waits at line 1 in [10, 100), at line 2 in [110, 200), and at line 1 again from 210 on.
// Two workers of the first epoch, two of the second, and one of a loader of its own that lives all
// the time and idles while the loop waits at line 1.
TEST(HostSamples, OnlyLivingWorkersOfTheLoaderThatIsWaitedForAreCounted) {
  TraceData data;
  data.processes.resize(1);
  data.threads.resize(6);
  for (std::uint32_t t = 0; t < 6; ++t) data.threads[t].tid = t;
  data.sites.resize(4);
  constexpr std::uint8_t kIdle = kSampleWorker, kBusy = kSampleWorker | kSampleFetching;
  for (const auto& [begin, line] : {std::pair{10, 1U}, {110, 2U}, {210, 1U}}) {
    add_sample(data, 0, begin, line, 0, kSampleInLoader);
    add_sample(data, 0, begin + 90, line, 0, 0);
  }
  for (const ThreadId first : {1U, 2U}) add_sample(data, first, 20 + first, 3, 0, kBusy);
  add_sample(data, 3, 30, kNone, 0, kIdle);
  add_sample(data, 3, 120, 3, 0, kBusy);
  add_sample(data, 3, 230, kNone, 0, kIdle);
  for (const ThreadId later : {4U, 5U}) add_sample(data, later, 220 + later, 3, 0, kBusy);
  const Trace trace = Trace::build(std::move(data));
  const HostSamples samples(trace);
  EXPECT_EQ(samples.workers_before(0, {10, 100}, 90).known, 2U);
  EXPECT_EQ(samples.workers_before(0, {110, 200}, 190).known, 1U);
  EXPECT_EQ(samples.workers_before(0, {210, 300}, 290).known, 2U);
  EXPECT_EQ(samples.workers_before(0, {210, 300}, 290).busy, 2U);
}

// It recorded itself; the loop waits in the process that started it.
TEST(HostSamples, ASpawnedWorkerCountsForTheProcessThatStartedIt) {
  TraceData data;
  data.processes.resize(3);
  data.processes[0].pid = 100, data.processes[1].pid = 101, data.processes[2].pid = 102;
  data.processes[1].facts["parent_pid"] = "100";
  data.processes[2].facts["parent_pid"] = "7";  // not in this trace
  data.threads.resize(3);
  data.threads[1] = {1, 101, ""}, data.threads[2] = {2, 102, ""};
  data.sites.resize(2);
  add_sample(data, 1, 10, 1, 0, kSampleWorker | kSampleFetching);
  add_sample(data, 2, 20, 1, 0, kSampleWorker | kSampleFetching);
  const Trace trace = Trace::build(std::move(data));
  const HostSamples samples(trace);
  EXPECT_EQ(samples.workers_before(0, {0, 100}, 60).busy, 1U);
  EXPECT_EQ(samples.workers_before(0, {0, 100}, 60).site, 1U);
  EXPECT_EQ(samples.workers_before(2, {0, 100}, 60).busy, 1U);
}

// A silence without a look is taken to be what workers do as a rule.
TEST(HostSamples, AFewLooksInALibrarysCodeDoNotStandForTheRest) {
  const auto usual = [](int in_library, int in_dataset) {
    TraceData data;
    data.processes.resize(1);
    data.threads.resize(2);
    data.sites.resize(2);
    data.sites[0].file =
        data.strings.intern("/v/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py");
    data.sites[1].file = data.strings.intern("/home/me/train.py");
    for (int i = 0; i < in_library + in_dataset; ++i)
      add_sample(data, 1, 10 * i, i < in_library ? 0 : 1, 0, kSampleWorker | kSampleFetching);
    const Trace trace = Trace::build(std::move(data));
    return HostSamples(trace).workers_before(0, {5'000, 6'000}, 5'500).site;
  };
  EXPECT_EQ(usual(1, 0), kNone);
  EXPECT_EQ(usual(2, 1), 1U);
  EXPECT_EQ(usual(8, 1), 0U) << "many are no chance";
}

TEST(HostSamples, TheLineOfMostBusyWorkersCounts) {
  TraceData data;
  data.processes.resize(2);
  data.threads.resize(5);
  for (std::uint32_t t = 0; t < 5; ++t) data.threads[t].tid = t;
  data.threads[4].process = 1;
  data.sites.resize(3);
  constexpr std::uint8_t kBusy = kSampleWorker | kSampleFetching;
  add_sample(data, 1, 10, 1, 0, kBusy);
  add_sample(data, 2, 20, 2, 0, kBusy);
  add_sample(data, 3, 30, 2, 0, kBusy);
  add_sample(data, 4, 35, 0, 0, kBusy);  // a worker of another process
  add_sample(data, 2, 40, kNone, 0, kSampleWorker);
  add_sample(data, 3, 50, kNone, 0, kSampleWorker);
  const Trace trace = Trace::build(std::move(data));
  const HostSamples samples(trace);
  const Interval silence{0, 100};
  const auto at = [&](std::int64_t t) { return samples.workers_before(0, silence, t); };
  EXPECT_EQ(at(5).site, 1U) << "the first holds from the begin";
  EXPECT_EQ(at(25).site, 1U) << "as common as line 2, and the lower";
  EXPECT_EQ(at(25).busy, 2U);
  EXPECT_EQ(at(36).site, 2U);
  EXPECT_EQ(at(36).busy, 3U);
  EXPECT_EQ(at(45).site, 1U);
  EXPECT_EQ(at(60).busy, 1U);
  EXPECT_EQ(at(60).known, 3U);
  EXPECT_EQ(samples.workers_before(1, silence, 50).known, 1U);
  const HostSamples::Workers unseen = samples.workers_before(0, {200, 300}, 250);
  EXPECT_EQ(unseen.known, 0U);
  EXPECT_EQ(unseen.site, 2U) << "seen twice, line 1 once";
}

// A loop's thread with ops, scopes of a loader and silences, and kernels on a stream.
class RandomLoop {
 public:
  explicit RandomLoop(std::uint32_t seed) : random_(seed) {
    for (std::uint32_t line = 1; line < 6; ++line) sites_.push_back(make_.site("a.py", line));
    thread_ = make_.thread(1);
    std::int64_t at = kBegin;
    steps_.thread = thread_;
    steps_.found_by = FoundBy::user_marker;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t begin = at;
      for (std::uint32_t piece = 1 + below(8); piece > 0; --piece) at = add_piece(at);
      at += 1 + below(50'000);
      Step step;
      step.id = static_cast<std::uint64_t>(i);
      step.window = step.host = {begin, at};
      steps_.list.push_back(step);
    }
    end_ = at;
  }

  // Samples at any time, of any kind, also with a CPU clock that makes no sense.
  void add_samples() {
    std::int64_t at = kBegin - 1'000'000;
    std::uint64_t cpu = 1;
    const unsigned kept = below(3) == 0 ? 0x7fU : 0x7fU & ~unsigned{kSampleWorker};
    while (at < end_ + 1'000'000) {
      at += 1 + below(3'000'000);
      cpu += below(4'000'000);
      const SiteId site = below(4) == 0 ? kNone : sites_[below(5)];
      add_sample(make_.data, thread_, at, site, below(8) == 0 ? 0 : cpu,
                 static_cast<std::uint8_t>(below(128) & kept));
      if (below(3) != 0) continue;
      Counters& counters = make_.data.counters;
      counters.time.push_back(at), counters.process.push_back(0);
      counters.track.push_back(make_.data.strings.intern("thread_wait.1"));
      counters.value.push_back(static_cast<double>(below(9'000'000)));
    }
  }
  Attribution attribute() {
    const Result<Attribution> made = stepscope::attribute(make_.build(), steps_);
    EXPECT_TRUE(made.ok());
    return *made;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  static constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;

  std::int64_t add_piece(std::int64_t at) {
    const std::int64_t end = at + 1 + below(8'000'000);
    switch (below(6)) {
      case 0:
        make_.range(HostKind::op, "aten::mm", 1, at, end);
        break;
      case 1:
        make_.range(HostKind::user_scope, "enumerate(DataLoader)#x.__next__", 1, at, end);
        break;
      case 2:
        make_.call("cudaLaunchKernel", 1, at, at + 5, ++launches_);
        make_.kernel("kernel", 7, at + 7, end + 7, launches_);
        break;
      default:
        break;  // a silence
    }
    return end;
  }

  std::mt19937 random_;
  TraceMaker make_;
  std::vector<SiteId> sites_;
  ThreadId thread_ = 0;
  Steps steps_;
  std::int64_t end_ = 0;
  std::uint32_t launches_ = 0;
};

std::int64_t device_ns(const Attribution& a) {
  std::int64_t sum = 0;
  for (const Cell& cell : a.process.cells) sum += is_device_busy(cell.cause) ? cell.ns : 0;
  return sum;
}

std::int64_t all_ns(const Attribution& a) {
  std::int64_t sum = 0;
  for (const Cell& cell : a.process.cells) sum += cell.ns;
  return sum;
}

TEST(HostSamples, WhateverTheySayThePartsSumToTheSteps) {
  std::uint64_t changed = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomLoop plain(seed), sampled(seed);
    const Attribution before = plain.attribute();
    sampled.add_samples();
    const Attribution after = sampled.attribute();
    EXPECT_TRUE(after.broken_invariants.empty()) << seed << ": " << after.broken_invariants[0];
    EXPECT_EQ(all_ns(before), all_ns(after)) << seed;
    EXPECT_EQ(device_ns(before), device_ns(after)) << seed;
    changed += before.process.cells.size() != after.process.cells.size() ? 1U : 0U;
  }
  EXPECT_GT(changed, 200U) << "the samples decide nothing";
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Loops behind a loader with workers: executed by a small model of PyTorch's loader, written down as
// a trace, repaired in the forecast and executed again with the repair. Times are in us.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/model/events.hpp"
#include "core/simulate/fix_reader.hpp"
#include "core/simulate/simulator.hpp"
#include "tests/support/text_trace.hpp"

namespace stepscope {
namespace {

constexpr int kWarmUp = 28;   // steps that do not count: the loader fills
constexpr int kFirstTid = 3;  // threads t3, t4, ... are the workers
constexpr int kFetching = kSampleFetching, kRan = kSampleRan, kSlept = kSampleSlept;
constexpr const char* kUsual = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

struct Loop {
  int workers = 1;
  int making = 1000;  // a batch, by a worker
  int uneven = 0;     // every fourth batch takes so much longer
  bool sleeps = false;
  bool clocks = true;    // the workers were sampled
  bool outside = false;  // the process that forked them read their clocks, and no others are known
  int forward = 1000, rest = 1000;
  int take = 100;  // unpacking a batch
  int steps = 124;

  int ahead() const { return 2 * workers; }
  int making_of(int batch) const { return making + (batch % 4 == 3 ? uneven : 0); }
};

struct Batch {
  int begin = 0, ready = 0;           // at the worker
  int asks = 0, taken = 0, done = 0;  // at the loop: the take, the end of the step
};

std::vector<Batch> execute(const Loop& loop) {
  std::vector<Batch> out(static_cast<std::size_t>(loop.steps));
  int now = 0;
  for (int i = 0; i < loop.steps; ++i) {
    const auto at = [&out](int batch) -> Batch& { return out[static_cast<std::size_t>(batch)]; };
    const int asked = i < loop.ahead() ? 0 : at(i - loop.ahead()).taken;
    const int free = i < loop.workers ? 0 : at(i - loop.workers).ready;
    Batch& batch = at(i);
    batch.begin = std::max(asked, free);
    batch.ready = batch.begin + loop.making_of(i);
    batch.asks = now;
    batch.taken = std::max(now, batch.ready) + loop.take;
    now = batch.done = batch.taken + loop.forward + loop.rest;
  }
  return out;
}

double step_of(const Loop& loop) {
  const std::vector<Batch> batches = execute(loop);
  return static_cast<double>(batches.back().done - batches[kWarmUp - 1].done) /
         (loop.steps - kWarmUp);
}

// A row while each batch is made, and one while the worker waits for the next request.
void write_worker(const Loop& loop, const std::vector<Batch>& batches, int worker,
                  std::ostream& out) {
  const int tid = kFirstTid + worker;
  int cpu = 1, idle_since = 0;
  const auto row = [&](int time, int flags) {
    out << "sample t" << tid << ' ' << time << " at=data.py:5 cpu=" << cpu
        << " flags=" << (kSampleWorker | flags) << "\ncounter thread_wait." << tid << ' ' << time
        << " 0\n";
  };
  for (int i = worker; i < loop.steps; i += loop.workers) {
    const Batch& batch = batches[static_cast<std::size_t>(i)];
    if (batch.begin > idle_since + 2) row((idle_since + batch.begin) / 2, kSlept);
    const int half = loop.making_of(i) / 2;
    row(batch.begin, kFetching | kRan);
    cpu += loop.sleeps ? 0 : half;
    row(batch.begin + half, kFetching | (loop.sleeps ? kSlept : kRan));
    cpu += loop.sleeps ? 0 : loop.making_of(i) - half;
    row(batch.ready, kRan);
    idle_since = batch.ready;
  }
}

// A look at each batch, without a clock, and a reading of the worker's clock each 5 ms.
void write_from_outside(const Loop& loop, const std::vector<Batch>& batches, int worker,
                        std::ostream& out) {
  constexpr int kBetween = 5'000;
  const int tid = kFirstTid + worker;
  for (int i = worker; i < loop.steps; i += loop.workers)
    out << "sample t" << tid << ' ' << batches[static_cast<std::size_t>(i)].begin
        << " at=data.py:5 flags=" << (kSampleWorker | kFetching) << '\n';
  for (int time = 0; time < batches.back().done; time += kBetween) {
    std::int64_t cpu = 1;
    for (int i = worker; i < loop.steps; i += loop.workers) {
      const Batch& batch = batches[static_cast<std::size_t>(i)];
      cpu += std::clamp(time - batch.begin, 0, batch.ready - batch.begin);
    }
    out << "counter child_cpu." << tid << ' ' << time << ' ' << 1'000 * cpu << '\n';
  }
}

// It sleeps while it waits for a batch.
void write_clock_of_loop(const Loop& loop, const std::vector<Batch>& batches, std::ostream& out) {
  int slept = 0;
  for (const Batch& batch : batches) {
    out << "cpu t1 " << batch.asks << ' ' << 1 + batch.asks - slept << '\n';
    slept += batch.taken - loop.take - batch.asks;
    out << "cpu t1 " << batch.taken - loop.take << ' ' << 1 + batch.taken - loop.take - slept
        << '\n'
        << "cpu t1 " << batch.done << ' ' << 1 + batch.done - slept << '\n';
  }
}

std::string text_of(const Loop& loop) {
  const std::vector<Batch> batches = execute(loop);
  std::ostringstream out;
  out << "source stepscope\nno_device\n";
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    out << "step " << batch.asks << ' ' << batch.done << "\nscope t1 " << batch.asks << ' '
        << batch.taken << ' ' << kUsual << " at=train.py:1\nop t1 " << batch.taken << ' '
        << batch.taken + loop.forward << " aten::addmm at=train.py:2\nop t1 "
        << batch.taken + loop.forward << ' ' << batch.done << " aten::mul at=train.py:3\n";
  }
  for (int worker = 0; loop.outside && worker < loop.workers; ++worker)
    write_from_outside(loop, batches, worker, out);
  if (!loop.clocks || loop.outside) return out.str();
  write_clock_of_loop(loop, batches, out);
  for (int worker = 0; worker < loop.workers; ++worker) write_worker(loop, batches, worker, out);
  return out.str();
}

Forecast forecast_of(const Loop& loop, const std::vector<std::string>& fixes,
                     double* replay_error = nullptr) {
  testing::TextTrace maker;
  std::istringstream lines(text_of(loop));
  for (std::string line; std::getline(lines, line);) {
    const testing::TextLine read = testing::parse_line(line, 1);
    EXPECT_TRUE(read.empty() || maker.add(read)) << line;
  }
  const Trace trace = maker.build();
  const Steps steps = maker.steps();
  const Attribution attribution = attribute(trace, steps).value();
  std::vector<std::uint32_t> counted;
  for (std::uint32_t i = kWarmUp; i < steps.list.size(); ++i) counted.push_back(i);
  const auto simulator = Simulator::build(trace, steps, attribution, counted);
  EXPECT_TRUE(simulator.ok());
  std::vector<Fix> all;
  for (const std::string& fix : fixes) {
    const auto read = parse_fixes(fix, trace, attribution);
    EXPECT_TRUE(read.ok()) << fix;
    all.insert(all.end(), read->begin(), read->end());
  }
  if (replay_error != nullptr) *replay_error = simulator->check().error;
  return simulator->forecast(all);
}

void expect_forecast(const Loop& slow, const Loop& repaired, const std::vector<std::string>& fixes,
                     const std::string& what) {
  double replay_error = 1;
  const Forecast forecast = forecast_of(slow, fixes, &replay_error);
  EXPECT_LE(replay_error, 0.01) << what;
  EXPECT_NEAR(forecast.ns_per_step / 1e3 / step_of(repaired), 1, 0.02) << what;
}

std::vector<Loop> loops() {
  std::vector<Loop> out;
  for (const int workers : {1, 2, 3, 4}) {
    for (const int making : {300, 900, 2500, 5000}) {
      for (const bool sleeps : {false, true})
        out.push_back({.workers = workers, .making = making * workers, .sleeps = sleeps});
    }
  }
  return out;
}

std::string name_of(const Loop& loop) {
  return std::to_string(loop.workers) + (loop.sleeps ? " sleeping" : " computing") +
         " workers, a batch each " + std::to_string(loop.making) + " us";
}

TEST(LoaderForecasts, LessWorkOfTheLoopGivesWhatTheWorkersLeave) {
  for (const Loop& slow : loops()) {
    Loop repaired = slow;
    repaired.forward = 0;
    expect_forecast(slow, repaired, {"drop_work@train.py:2"}, name_of(slow));
  }
}

TEST(LoaderForecasts, CheaperBatchesGiveWhatTheLoopLeaves) {
  for (const Loop& slow : loops()) {
    Loop repaired = slow;
    repaired.making /= 4;
    expect_forecast(slow, repaired, {"scale_work@cause=host.data_wait:factor=0.25"}, name_of(slow));
  }
}

// In whatever a take waits for, unpacking is what its last part does.
TEST(LoaderForecasts, UnpackingThatIsShorterGivesWhatTheWorkersLeave) {
  for (Loop slow : loops()) {
    slow.take = 800;
    Loop repaired = slow;
    repaired.take = 200;
    expect_forecast(slow, repaired, {"scale_work@cause=host.data_take:factor=0.25"}, name_of(slow));
  }
}

// The model's worker packs nothing, so a batch costs the loop what it costs the worker.
TEST(LoaderForecasts, ALoopThatMakesItsBatchesItself) {
  for (Loop slow : loops()) {
    slow.take = 800;
    const Forecast forecast = forecast_of(slow, {"make_in_loop"});
    const double truth = slow.making + slow.forward + slow.rest;
    EXPECT_LE(forecast.low_ns_per_step / 1e3, truth) << name_of(slow);
    EXPECT_GE(forecast.high_ns_per_step / 1e3, 0.99 * truth) << name_of(slow);
    EXPECT_GE(forecast.ns_per_step / 1e3, 0.99 * truth - 900) << name_of(slow);
  }
}

TEST(LoaderForecasts, BothTogetherAreReplayedTogether) {
  for (const Loop& slow : loops()) {
    Loop repaired = slow;
    repaired.making /= 4;
    repaired.forward = 0;
    expect_forecast(slow, repaired,
                    {"drop_work@train.py:2", "scale_work@cause=host.data_wait:factor=0.25"},
                    name_of(slow));
  }
}

TEST(LoaderForecasts, OtherNumbersOfWorkers) {
  for (const Loop& slow : loops()) {
    for (const int workers : {1, 2, 8}) {
      Loop repaired = slow;
      repaired.workers = workers;
      expect_forecast(slow, repaired, {"prefetch_input:workers=" + std::to_string(workers)},
                      name_of(slow) + ", now " + std::to_string(workers));
    }
  }
}

// Keeping the workers from epoch to epoch changes what an epoch's begin takes: this loop has none.
TEST(LoaderForecasts, AsManyWorkersAsNowChangeNothingWithoutAnEpoch) {
  const Forecast forecast = forecast_of(loops().front(), {"prefetch_input:workers=1"});
  EXPECT_NE(forecast.assumptions.front().find("it changes nothing"), std::string::npos)
      << forecast.assumptions.front();
}

TEST(LoaderForecasts, WhatIsMadeAheadHidesUnevenBatches) {
  for (const int workers : {1, 2, 4}) {
    const Loop slow{.workers = workers, .making = 800 * workers, .uneven = 3000 * workers};
    Loop repaired = slow;
    repaired.forward = 0;
    expect_forecast(slow, repaired, {"drop_work@train.py:2"}, name_of(slow));
  }
}

// No record shows how long the workers take, only that it was never too long.
TEST(LoaderForecasts, WithoutClocksTheIntervalHoldsAllThatMayBe) {
  const Loop slow{.making = 600, .clocks = false};
  const Forecast forecast = forecast_of(slow, {"drop_work@train.py:2"});
  Loop quick = slow;
  quick.forward = 0;
  EXPECT_LE(forecast.low_ns_per_step / 1e3, step_of(quick));
  EXPECT_GE(forecast.high_ns_per_step / 1e3, step_of(slow));
  EXPECT_TRUE(std::any_of(
      forecast.assumptions.begin(), forecast.assumptions.end(), [](const std::string& sentence) {
        return sentence.find("hardly ever waits for its loader") != std::string::npos;
      }));
}

TEST(LoaderForecasts, ClocksFromOutsideSayWhatABatchTakesAtLeast) {
  for (const int workers : {1, 2, 4}) {
    const Loop slow{.workers = workers, .making = 900 * workers, .outside = true};
    Loop quick = slow;
    quick.forward = 0;
    expect_forecast(slow, quick, {"drop_work@train.py:2"}, name_of(slow));
    const Forecast forecast = forecast_of(slow, {"drop_work@train.py:2"});
    EXPECT_GE(forecast.high_ns_per_step / 1e3, 0.95 * step_of(slow)) << "they may have slept";
  }
}

TEST(LoaderForecasts, ALoopThatWaitsAndClocksFromOutsideTellTogether) {
  for (const int workers : {1, 2, 4}) {
    const Loop slow{.workers = workers, .making = 5'000 * workers, .outside = true};
    Loop repaired = slow;
    repaired.workers = 2 * workers;
    expect_forecast(slow, repaired, {"prefetch_input:workers=" + std::to_string(2 * workers)},
                    name_of(slow));
  }
}

// A loop that waits for its loader shows how long the workers take by its waits alone; what taking
// a batch costs, no take that waited shows.
TEST(LoaderForecasts, WaitsTellWithoutClocks) {
  const Loop slow{.making = 8000, .clocks = false};
  Loop repaired = slow;
  repaired.making /= 2;
  const Forecast forecast = forecast_of(slow, {"scale_work@cause=host.data_wait:factor=0.5"});
  EXPECT_NEAR(forecast.ns_per_step / 1e3 / step_of(repaired), 1, 0.02);
}

}  // namespace
}  // namespace stepscope

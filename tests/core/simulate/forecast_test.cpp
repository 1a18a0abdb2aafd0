// SPDX-License-Identifier: Apache-2.0
// Forecasts against the truth: a program is executed and recorded, a fix is forecast by replay, and
// the fixed program is executed for its true step. Every case counts; the table says how far off
// each kind is, how often the 90 % interval holds the truth, and what "subtract the device's idle
// time" would have said. STEPSCOPE_SEED=N STEPSCOPE_SEEDS=1 STEPSCOPE_PRINT=1 shows one program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>

#include "core/support/statistics.hpp"
#include "tests/core/simulate/simulated_run.hpp"
#include "tests/simulator/random.hpp"

namespace stepscope::simulator {
namespace {

constexpr std::uint32_t kLine = 7;
constexpr std::uint32_t kTrueSteps = 40;  // so that the truth varies little

std::uint64_t setting(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// A program, the fix of it, and what that fix makes of it.
struct Case {
  Program bad;
  Program fixed;
  std::vector<Fix> fixes;
};

struct Row {
  std::uint64_t seed = 0;
  double before = 0, truth = 0, forecast = 0, low = 0, high = 0, naive = 0;

  double error() const { return std::abs(forecast - truth) / truth; }
  double naive_error() const { return std::abs(naive - truth) / truth; }
  bool holds() const { return low <= truth && truth <= high; }
};

bool any(const Program& program, std::initializer_list<Act> acts) {
  return std::any_of(program.step.begin(), program.step.end(), [&](const Action& action) {
    return std::find(acts.begin(), acts.end(), action.act) != acts.end();
  });
}

void erase(Program& program, const std::function<bool(const Action&)>& test) {
  std::erase_if(program.step, test);
}

// Scopes a fix to the only site of the trace.
Fix at_line(FixKind kind) {
  Fix fix{.kind = kind};
  fix.scope.sites = {0};
  return fix;
}

Case without_waits(std::uint64_t seed) {
  Case out{random_program(seed), {}, {{.kind = FixKind::remove_sync}}};
  out.fixed = out.bad;
  erase(out.fixed, [](const Action& a) {
    return a.act == Act::sync_stream || a.act == Act::sync_device || a.act == Act::sync_event ||
           a.act == Act::copy_pageable_d2h;
  });
  return out;
}

Case faster_kernels(std::uint64_t seed) {
  Fix fix{.kind = FixKind::scale_work, .factor = 0.4, .factor_low = 0.4, .factor_high = 0.4};
  fix.scope.cause = Cause::gpu_gemm;
  Case out{random_program(seed), {}, {fix}};
  out.fixed = out.bad;
  for (Action& a : out.fixed.step) {
    if (a.act == Act::launch || a.act == Act::graph) a.device_ns = a.device_ns * 2 / 5;
  }
  return out;
}

Case pinned(std::uint64_t seed) {
  Case out{random_program(seed), {}, {{.kind = FixKind::pin_memory}}};
  const double share = 0.2 + 0.6 * Random(seed).unit();
  out.fixed = out.bad;
  for (Action& a : out.fixed.step) {
    if (a.act != Act::copy_pageable_h2d) continue;
    a.act = Act::copy_pinned_h2d;
    a.device_ns = static_cast<std::int64_t>(static_cast<double>(a.device_ns) * share);
  }
  return out;
}

// A stretch of ops is written at one line and runs in each step; the fix takes it out.
Case dropped_line(std::uint64_t seed) {
  Case out{random_program(seed), {}, {at_line(FixKind::drop_work)}};
  Random random(seed + 7);
  std::vector<Action>& step = out.bad.step;
  std::vector<Action> extra;
  const std::uint32_t launches = 2 + random.below(20);
  for (std::uint32_t i = 0; i < launches; ++i) {
    extra.push_back({.act = Act::python, .host_ns = random.between(2 * us, 30 * us)});
    extra.push_back({.act = Act::launch,
                     .host_ns = random.between(4 * us, 6 * us),
                     .device_ns = random.between(2 * us, 60 * us)});
  }
  out.fixed = out.bad;
  for (Action& a : extra) a.line = kLine;
  step.insert(step.begin(), extra.begin(), extra.end());
  return out;
}

// Values read one by one; the fix reads them at once.
Case merged_reads(std::uint64_t seed) {
  Case out{random_program(seed), {}, {at_line(FixKind::merge_copies)}};
  Random random(seed + 11);
  const std::uint32_t copies = 4 + random.below(40);
  const std::int64_t work = random.between(5 * us, 30 * us);
  const std::int64_t call = random.between(4 * us, 6 * us);
  out.fixed = out.bad;
  for (std::uint32_t i = 0; i < copies; ++i) {
    const Action python{.act = Act::python, .host_ns = work};
    const Action copy{.act = Act::copy_pageable_d2h,
                      .host_ns = call,
                      .device_ns = 1200,
                      .stream = 0,
                      .line = kLine};
    out.bad.step.push_back(python);
    out.bad.step.push_back(copy);
    if (i > 0) continue;
    out.fixed.step.push_back(python);
    out.fixed.step.push_back(copy);
  }
  return out;
}

// A loop of many launches; the fix captures them into one graph.
Case captured(std::uint64_t seed) {
  Random random(seed + 13);
  Case out;
  const std::uint32_t launches = 60 + random.below(300);
  std::int64_t device = 0;
  out.bad.noise = out.fixed.noise = 0.02;
  for (std::uint32_t i = 0; i < launches; ++i) {
    const std::int64_t ns = random.between(1 * us, 25 * us);
    device += ns;
    out.bad.step.push_back({.act = Act::python, .host_ns = random.between(1 * us, 20 * us)});
    out.bad.step.push_back({.act = Act::launch, .host_ns = 5 * us, .device_ns = ns});
  }
  const Action rest{.act = Act::python, .host_ns = random.between(5 * us, 400 * us)};
  const Action wait{.act = Act::sync_stream, .host_ns = 1 * us};
  out.fixed.step.push_back({.act = Act::graph,
                            .host_ns = 10 * us + 60 * launches,
                            .device_ns = device / launches,
                            .count = launches});
  const bool waits = random.chance(0.5);
  for (Program* p : {&out.bad, &out.fixed}) {
    if (!waits) continue;
    p->step.push_back(wait);
    p->step.push_back(rest);
    p->step.push_back({.act = Act::launch, .host_ns = 5 * us, .device_ns = 3 * us});
    p->step.push_back(wait);
  }
  out.fixes = {{.kind = FixKind::capture_graph}};
  return out;
}

// The loop makes its input itself; the fix has a producer make it, four at a time.
Case prefetched(std::uint64_t seed) {
  Case out{random_program(seed), {}, {}};
  Random random(seed + 17);
  erase(out.bad, [](const Action& a) { return a.act == Act::data_wait; });
  out.bad.recording.python = false;
  const std::int64_t input = random.between(600 * us, 6000 * us);
  out.fixed = out.bad;
  out.bad.step.insert(out.bad.step.begin(), {.act = Act::load_here, .host_ns = input});
  const Action wait{.act = Act::data_wait, .host_ns = 0, .device_ns = (input + 900 * us) / 4};
  const Action take{.act = Act::python, .host_ns = 700 * us};  // handing a batch over
  out.fixed.step.insert(out.fixed.step.begin(), {wait, take});
  out.fixes = {{.kind = FixKind::prefetch_input, .computes = 0}};  // as fast as the loop, here
  return out;
}

// Gradients are sent on the compute stream; the fix sends them on one of their own.
Case overlapped(std::uint64_t seed) {
  Random random(seed + 19);
  Case out;
  out.bad.noise = out.fixed.noise = 0.02;
  const std::uint32_t layers = 4 + random.below(12);
  for (std::uint32_t i = 0; i < layers; ++i) {
    const Action work{.act = Act::python, .host_ns = random.between(1 * us, 60 * us)};
    const Action kernel{
        .act = Act::launch, .host_ns = 5 * us, .device_ns = random.between(20 * us, 300 * us)};
    Action send{
        .act = Act::collective, .host_ns = 5 * us, .device_ns = random.between(20 * us, 200 * us)};
    for (Program* p : {&out.bad, &out.fixed}) {
      p->step.push_back(work);
      p->step.push_back(kernel);
    }
    out.bad.step.push_back(send);
    out.fixed.step.push_back({.act = Act::event_record, .host_ns = us / 2, .event = 3});
    out.fixed.step.push_back(
        {.act = Act::stream_wait_event, .host_ns = us / 2, .stream = 2, .event = 3});
    send.stream = 2;
    send.device_ns =
        static_cast<std::int64_t>(static_cast<double>(send.device_ns) * (1 + 0.3 * random.unit()));
    out.fixed.step.push_back(send);
  }
  out.fixes = {{.kind = FixKind::overlap_transfer}};
  return out;
}

// Waits go, kernels get faster and memory is pinned, all at once.
Case together(std::uint64_t seed) {
  Case out = faster_kernels(seed);
  out.fixes.push_back({.kind = FixKind::remove_sync});
  out.fixes.push_back({.kind = FixKind::pin_memory});
  erase(out.fixed, [](const Action& a) {
    return a.act == Act::sync_stream || a.act == Act::sync_device || a.act == Act::sync_event ||
           a.act == Act::copy_pageable_d2h;
  });
  for (Action& a : out.fixed.step) {
    if (a.act != Act::copy_pageable_h2d) continue;
    a.act = Act::copy_pinned_h2d;
    a.device_ns = a.device_ns * 2 / 5;
  }
  return out;
}

Row judge(std::uint64_t seed, const Case& test) {
  const SimulatedRun bad(test.bad, seed);
  Program fixed = test.fixed;
  fixed.steps = kTrueSteps;
  const Run truth = execute(fixed, seed + 5000);
  const Result<Simulator> simulator = bad.simulator();
  if (!simulator) {
    ADD_FAILURE() << "seed " << seed << ": " << simulator.error().message;
    return {};
  }
  const Forecast forecast = simulator->forecast(test.fixes);
  return {.seed = seed,
          .before = true_step_ns(bad.run),
          .truth = true_step_ns(truth),
          .forecast = forecast.ns_per_step,
          .low = forecast.low_ns_per_step,
          .high = forecast.high_ns_per_step,
          .naive = simulator->busy_ns_per_step()};
}

struct Limits {
  double median, p90, held;
};

void expect_close(const char* name, const std::function<Case(std::uint64_t)>& make,
                  const std::function<bool(const Case&)>& applies, Limits limits) {
  const std::uint64_t seeds = setting("STEPSCOPE_SEEDS", 200);
  const std::uint64_t first = setting("STEPSCOPE_SEED", 0);
  std::vector<Row> rows;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Case test = make(seed);
    if (applies(test)) rows.push_back(judge(seed, test));
  }
  ASSERT_FALSE(rows.empty());
  std::vector<double> errors, naive;
  double held = 0;
  for (const Row& row : rows) {
    errors.push_back(row.error());
    naive.push_back(row.naive_error());
    held += row.holds() ? 1.0 / static_cast<double>(rows.size()) : 0;
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.error() > b.error(); });
  const double p90 = rows[rows.size() / 10].error();
  std::cout << std::fixed << std::setprecision(2) << name << ": " << rows.size()
            << " cases, error median " << 100 * median_of(errors) << " %, p90 " << 100 * p90
            << " %, max " << 100 * rows.front().error() << " % (seed " << rows.front().seed
            << "), interval holds " << 100 * held << " %; subtracting idle: median "
            << 100 * median_of(naive) << " %\n";
  if (setting("STEPSCOPE_PRINT", 0) != 0) {
    for (std::size_t i = 0; i < 8 && i < rows.size(); ++i) {
      const Row& r = rows[i];
      std::cout << "  seed " << r.seed << ": " << r.before / 1e3 << " us -> true " << r.truth / 1e3
                << ", forecast " << r.forecast / 1e3 << " [" << r.low / 1e3 << ", " << r.high / 1e3
                << "]\n";
    }
  }
  EXPECT_LE(median_of(errors), limits.median) << name;
  EXPECT_LE(p90, limits.p90) << name;
  EXPECT_GE(held, limits.held) << name;
}

const auto kAlways = [](const Case&) { return true; };

TEST(Forecast, OfWaitsRemoved) {
  expect_close("remove_sync", without_waits,
               [](const Case& test) { return test.bad.step.size() > test.fixed.step.size(); },
               {0.02, 0.06, 0.7});
}

TEST(Forecast, OfFasterKernels) {
  expect_close("scale_work", faster_kernels,
               [](const Case& test) {
                 return any(test.bad, {Act::launch, Act::graph});
               },
               {0.02, 0.06, 0.7});
}

TEST(Forecast, OfPinnedMemory) {
  expect_close("pin_memory", pinned,
               [](const Case& test) { return any(test.bad, {Act::copy_pageable_h2d}); },
               {0.02, 0.06, 0.7});
}

TEST(Forecast, OfALineDropped) {
  expect_close("drop_work", dropped_line, kAlways, {0.02, 0.06, 0.7});
}

TEST(Forecast, OfMergedReads) {
  expect_close("merge_copies", merged_reads, kAlways, {0.02, 0.06, 0.7});
}

TEST(Forecast, OfACapturedGraph) {
  expect_close("capture_graph", captured, kAlways, {0.02, 0.06, 0.7});
}

TEST(Forecast, OfPrefetchedInput) {
  expect_close("prefetch_input", prefetched, kAlways, {0.02, 0.08, 0.7});
}

TEST(Forecast, OfOverlappedTransfers) {
  expect_close("overlap_transfer", overlapped, kAlways, {0.05, 0.1, 0.7});
}

TEST(Forecast, OfSeveralTogether) {
  expect_close("together", together, kAlways, {0.03, 0.08, 0.7});
}

}  // namespace
}  // namespace stepscope::simulator

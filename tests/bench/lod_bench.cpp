// SPDX-License-Identifier: Apache-2.0
// Level of detail: building the rows, and the queries of one frame over all of them while a view
// zooms in and pans. Arguments: events of all lanes, lanes, pixels, 1 while it moves. Counters: the
// CPU time that 99 of 100 frames do not pass, and bytes an event.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "viewer/lod/row.hpp"

namespace {

using stepscope::Interval;
using stepscope::viewer::Box;
using stepscope::viewer::Precision;
using stepscope::viewer::Row;

// Log-normal lengths, as of kernels; a pause of 2 ms after each 997 events.
Row make_row(std::uint32_t seed, std::int64_t count) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> length(8.5, 1.2);
  Row row;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto ns = static_cast<std::int64_t>(length(random));
    row.add(at, at + ns, static_cast<std::uint32_t>(i));
    at += ns + (i % 997 == 996 ? 2'000'000 : 1'000);
  }
  row.finish();
  return row;
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void build(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Row row = make_row(1, state.range(0));
    bytes = row.memory_bytes();
  }
  state.counters["bytes_per_event"] =
      static_cast<double>(bytes) / static_cast<double>(state.range(0));
}

void frame(benchmark::State& state) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < state.range(1); ++i)
    rows.push_back(make_row(i, state.range(0) / state.range(1)));
  const std::int64_t whole = rows.front().last_end();
  const auto precision = state.range(3) == 1 ? Precision::moving : Precision::still;
  std::vector<Box> boxes;
  std::vector<double> ms;
  int turn = 0;
  for (auto _ : state) {
    const double begin = cpu_ms();
    const double share = std::pow(0.9, turn % 120);  // from all of it to 3 millionths
    const auto span = static_cast<std::int64_t>(static_cast<double>(whole) * share) + 1;
    const std::int64_t from = (whole - span) / 7 * (turn % 8);
    for (const Row& row : rows)
      row.boxes({from, from + span}, static_cast<int>(state.range(2)), boxes, precision);
    benchmark::DoNotOptimize(boxes.data());
    ms.push_back(cpu_ms() - begin);
    ++turn;
  }
  std::sort(ms.begin(), ms.end());
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
  state.counters["most_ms"] = ms.back();
}

// All of one lane at once, panned: what the whole run costs to draw.
void whole(benchmark::State& state) {
  const Row row = make_row(1, state.range(0));
  std::vector<Box> boxes;
  std::vector<double> ms;
  std::int64_t turn = 0;
  for (auto _ : state) {
    const double begin = cpu_ms();
    const std::int64_t from = row.last_end() / 100 * (turn++ % 10);
    row.boxes({from, row.last_end()}, static_cast<int>(state.range(1)), boxes);
    ms.push_back(cpu_ms() - begin);
  }
  std::sort(ms.begin(), ms.end());
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["most_ms"] = ms.back();
  state.counters["bytes_per_event"] =
      static_cast<double>(row.memory_bytes()) / static_cast<double>(state.range(0));
}

BENCHMARK(build)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(frame)
    ->Args({1'000'000, 64, 1920, 0})
    ->Args({10'000'000, 64, 1920, 0})
    ->Args({10'000'000, 64, 1920, 1})
    ->Args({10'000'000, 64, 3840, 1})
    // The part of these 64 lanes that a window of 1080 lines shows.
    ->Args({2'812'500, 18, 1920, 0})
    ->Args({10'000'000, 1, 1920, 0})
    ->Iterations(480)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(whole)
    ->Args({1'000'000, 1920})
    ->Args({100'000'000, 1920})
    ->Args({100'000'000, 3840})
    ->Iterations(25)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

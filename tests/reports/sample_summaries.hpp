// SPDX-License-Identifier: Apache-2.0
// Hand-made summaries, one for each kind of run that a report must read well for. Sums are
// consistent: parts sum to the wall, outermost phases too.
#pragma once

#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope::samples {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kUs = 1'000;

// Gives each counted step the same parts.
inline void add_parts(Summary& s, std::vector<PartSum> per_step) {
  const auto steps = static_cast<std::int64_t>(s.counted.size());
  PartitionSummary& p = s.partition;
  p.steps_counted = s.counted.size();
  for (PartSum part : per_step) {
    for (const std::uint32_t row : s.counted)
      s.step_parts[row][index_of(part.cause)] = part.ns_total;
    if (is_device_busy(part.cause)) p.device_busy_ns_total += part.ns_total * steps;
    if (part.cause >= Cause::host_python) p.host_wait_ns_total += part.ns_total * steps;
    part.ns_total *= steps;
    p.wall_ns_total += part.ns_total;
    p.parts.push_back(part);
  }
}

inline void add_steps(Summary& s, std::size_t count, std::size_t first_counted, std::int64_t wall) {
  s.steps.found_by = FoundBy::profiler_step;
  s.steps.confidence = 1;
  s.steps.how = std::to_string(count) + " ProfilerStep# marks on thread 100 (python)";
  std::int64_t at = 1'700'000'000'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    Step step;
    step.id = static_cast<std::int64_t>(i);
    step.window = {at, at + wall};
    step.host = step.window;
    step.steady = i >= first_counted;
    if (!step.steady) step.why_not_steady = i == 0 ? "first step" : "warm-up";
    if (step.steady) s.counted.push_back(static_cast<std::uint32_t>(i));
    s.steps.list.push_back(step);
    at += wall;
  }
  s.step_parts.assign(count, PerCause<std::int64_t>{});
  s.steps.warm_up = {first_counted, static_cast<std::int64_t>(first_counted) * wall,
                     "the first one's begin is a guess"};
}

// Steps 4 and 9 of gpu() were long: 1.5 s beyond the median of 38.1 ms, most of it collections.
inline LongSteps long_steps() {
  LongSteps steps;
  steps.steps = 2;
  steps.rows = {4, 9};
  steps.median_ns = 38'100 * kUs;
  steps.limit_ns = 57'150 * kUs;
  steps.longest_ns = 876'200 * kUs;
  steps.wall_ns_total = 1'576'200 * kUs;
  steps.loop_ns_total = 2'000 * kMs;
  steps.excess_ns_total = 1'500 * kMs;
  steps.excess = {{Cause::host_gc, "/home/user/train.py", 96, "compute_loss", 1'440 * kMs},
                  {Cause::host_python, "", 0, "", 75 * kMs},
                  {Cause::gpu_select, "/home/user/train.py", 96, "compute_loss", -15 * kMs}};
  return steps;
}

// A GPU run that the device limits: batch top-k on an H100.
inline Summary gpu() {
  Summary s;
  s.run = {.path = "runs/clt.scope",
           .source = "stepscope",
           .command = "python train.py --steps 20",
           .host = "node1",
           .device = "NVIDIA H100 80GB HBM3",
           .device_count = 1,
           .rank = 0,
           .world_size = 2,
           .processes = 1,
           .events = 41'230,
           .versions = {{"python", "3.11.7"}, {"torch", "2.11.0"}}};
  add_steps(s, 12, 2, 38'200 * kUs);
  add_parts(s, {{Cause::gpu_select, 21'400 * kUs},
                {Cause::gpu_gemm, 8'100 * kUs},
                {Cause::gpu_elementwise, 4'020 * kUs},
                {Cause::gpu_optimizer, 1'300 * kUs},
                {Cause::host_sync_return, 1'250 * kUs},
                {Cause::copy_h2d_pageable, 760 * kUs},
                {Cause::host_python, 610 * kUs},
                {Cause::gpu_reduce, 380 * kUs},
                {Cause::gpu_dispatch_gap, 200 * kUs},
                {Cause::launch_latency, 90 * kUs},
                {Cause::host_framework, 60 * kUs},
                {Cause::unknown, 30 * kUs}});
  s.partition.p50_ns = 38'100 * kUs;
  s.partition.p90_ns = 38'900 * kUs;
  s.partition.queued_share = 0.91;
  s.partition.bound = Bound::device;
  s.partition.why_bound =
      "the device works 94 % of the time (91 % of that with the next op queued); a perfect host "
      "would "
      "save at most 5.1 %";
  s.phases = {{"topk", "", "topk", 0, 214 * kMs, 213 * kMs, kMs, 0, 10, 10, 1},
              {"select", "topk", "topk/select", 1, 150 * kMs, 149 * kMs, kMs, 0, 240, 10, 1},
              {"backward", "", "backward", 0, 81 * kMs, 80 * kMs, 2 * kMs, 0, 10, 10, 1},
              {"eval", "", "eval", 0, 50 * kMs, 48 * kMs, kMs, 0, 1, 1, 10},
              {"data", "", "data", 0, 25 * kMs, 7 * kMs, 25 * kMs, 41'943'040, 10, 10, 1},
              {"(no phase)", "", "(no phase)", 0, 12 * kMs, 3 * kMs, 9 * kMs, 0, 0, 10, 1}};
  s.cells = {
      {Cause::gpu_select, "topk", "topk", "", 0, std::nullopt, 214 * kMs},
      {Cause::gpu_gemm, "backward", "backward", "", 0, std::nullopt, 81 * kMs},
      {Cause::host_sync_return, "eval", "eval", "train.py", 120, std::nullopt, 12'500 * kUs}};
  s.lines = {{"train.py",
              96,
              SiteKind::call,
              "compute_loss",
              Cause::gpu_select,
              214 * kMs,
              240,
              {"d17", "d40", "d63"}},
             {"train.py",
              120,
              SiteKind::call,
              "log_metrics",
              Cause::host_sync_return,
              12'500 * kUs,
              10,
              {"h512"}},
             {"/home/user/project/very/deep/package/data/loaders/collate.py",
              58,
              SiteKind::function,
              "collate",
              Cause::copy_h2d_pageable,
              7'600 * kUs,
              2'400,
              {"d9"}}};
  s.kernels = {
      {"void at::native::sbtopk::gatherTopK<float, unsigned int, 2, "
       "false>(at::cuda::detail::TensorInfo<float const, unsigned int>, unsigned int)",
       Cause::gpu_select, "topk", 240, 150 * kMs},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
       "segment_k_off_kernel__5x_cublas",
       Cause::gpu_gemm, "backward", 60, 81 * kMs},
      {"void at::native::(anonymous namespace)::vectorized_elementwise_kernel<4, "
       "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
       "at::native::CUDAFunctor_add<float>)",
       Cause::gpu_elementwise, "topk", 1'200, 40'200 * kUs},
      {"Memcpy HtoD (Pageable -> Device)", Cause::copy_h2d_pageable, "data", 2'400, 7'600 * kUs,
       41'943'040, 5.52e9}};
  s.device_health = {{.device = 0,
                      .samples = 40,
                      .sm_clock_mhz = ClockSpread{1755, 1410, 1980, 1980},
                      .reasons = {{"idle", "idle", 0.3}, {"power_cap", "power-capped", 0.12}},
                      .mean_power_w = 642.4,
                      .highest_temperature_celsius = 67,
                      .memory_peak_bytes = 61.2e9,
                      .process_memory_peak_bytes = 60.1e9,
                      .memory_growth = {MemoryTrend::growing, 1.2e6},
                      .nvlink_sent_bytes_per_second = 3.1e9,
                      .nvlink_received_bytes_per_second = 3.2e9,
                      .slow_steps = SlowSteps{2, 0.91}}};
  s.trust.unknown_share = 0.0008;
  s.trust.overhead_ns_per_step = 410.0 * kUs;
  s.trust.recorder = {0.012, 93, 41};
  s.trust.link_rate = 0.981;
  s.trust.abstained = {{"host.gc", "no collector of garbage collections ran"},
                       {"host.off_cpu", "no record of when threads were off the CPU"}};
  return s;
}

// A machine without a GPU: ops do the work.
// The GPU run with a finding that was replayed, one that was not, and rules that found nothing.
inline Summary with_findings() {
  Summary s = gpu();
  Finding sync;
  sync.id = "host_sync";
  sync.severity = Severity::high;
  sync.title = "the host waits for the device once a step; behind that the device idles 3.10 ms";
  sync.phase = "log";
  sync.places = {{"/home/u/train.py", 120, SiteKind::call, "log", 3.1e6}};
  sync.count_per_step = 1;
  sync.caused_ns_per_step = sync.ceiling_ns_per_step = 3.1e6;
  sync.share = 0.07;
  sync.link_rate = 1;
  sync.shows_as =
      "the tables above show 90 % of it at train.py:124: the wait before it is the reason";
  sync.forecast =
      Forecast{35.1e6, 34.6e6, 36e6, 34.5e6, {"the launch queue holds 1,022 launches"}, ""};
  sync.fix = "keep the value on the device and read it seldom";
  sync.code_hint = "running += loss.detach()";
  sync.falsified_by = "without the read the step keeps its length";
  sync.certainty = Certainty::inferred;
  sync.evidence = {"h12", "d90"};
  sync.events = {{"h12", "aten::item", 3'100'000, 7},
                 {"d90", "void at::copy_kernel(int)", 12'000, std::nullopt}};
  Finding copy = sync;
  copy.id = "pageable_copy";
  copy.severity = Severity::info;
  copy.title = "1 copy a step from pageable memory";
  copy.places = {{"data.py", 7, SiteKind::function, "load", 9e5}};
  copy.caused_ns_per_step = copy.ceiling_ns_per_step = 9e5;
  copy.share = 0.02;
  copy.shows_as.clear();
  copy.forecast.reset();
  copy.fix = "copy from pinned memory";
  Finding vain = copy;
  vain.id = "exposed_copy";
  vain.title = "copies take 410 us a step alone";
  vain.no_gain = "the host is what the step waits for";
  vain.forecast = sync.forecast;
  s.findings = Findings{
      {sync, copy},
      {vain},
      {{"host_sync", "eval.py:9: 2 waits a step, 9 us in all: the host hardly waits there"},
       {"hotspot", "no class of device work takes 20 % of its phase"}},
      {{"clock_change", "clocks were not sampled"}, {"underfilled_gpu", "clocks were not sampled"}},
      "one step was counted",
      ""};
  return s;
}

inline Summary cpu() {
  Summary s;
  s.run = {.path = "demo.scope",
           .source = "stepscope",
           .command = "stepscope train clt --steps 12",
           .host = "laptop",
           .processes = 1,
           .events = 9'412,
           .versions = {{"torch", "2.11.0"}}};
  add_steps(s, 8, 1, 412 * kMs);
  add_parts(s, {{Cause::host_compute_gemm, 260 * kMs},
                {Cause::host_compute_select, 90 * kMs},
                {Cause::host_compute_elementwise, 48 * kMs},
                {Cause::host_framework, 12 * kMs},
                {Cause::host_between_calls, 2 * kMs}});
  s.partition.p50_ns = 411 * kMs;
  s.partition.p90_ns = 420 * kMs;
  s.partition.why_bound = "no device work in these steps; CPU ops compute 97 % of the time";
  s.phases = {{"backward", "", "backward", 0, 1'700 * kMs, 0, 1'700 * kMs, 0, 7, 7, 1},
              {"topk", "", "topk", 0, 800 * kMs, 0, 800 * kMs, 0, 7, 7, 1},
              {"(no phase)", "", "(no phase)", 0, 384 * kMs, 0, 384 * kMs, 0, 0, 7, 1}};
  s.trust.abstained = {{"host.gc", "no collector of garbage collections ran"}};
  return s;
}

// A Kineto trace whose host times were stretched by the profiler.
inline Summary inflated() {
  Summary s;
  s.run = {.path = "llm_ladder.r5.json.gz",
           .source = "kineto",
           .command = "",
           .host = "",
           .device = "NVIDIA A100-SXM4-40GB",
           .device_count = 1,
           .processes = 1,
           .events = 1'204'551,
           .versions = {}};
  add_steps(s, 3, 1, 58'500 * kUs);
  add_parts(s, {{Cause::gpu_gemm, 30'600 * kUs},
                {Cause::host_python, 18'000 * kUs},
                {Cause::gpu_attention, 5'000 * kUs},
                {Cause::host_framework, 4'300 * kUs},
                {Cause::host_other, 600 * kUs}});
  s.partition.p50_ns = 58'500 * kUs;
  s.partition.p90_ns = 58'500 * kUs;
  s.partition.inflated = true;
  s.partition.why_bound =
      "its profiler slowed the host: the true step lies between 35.6 ms (device work) and 58.5 ms, "
      "so the device works at least 61 % of it; give --plain-step to judge";
  s.trust.unknown_share = 0.0103;
  s.trust.notes = {
      "482 event waits inferred from program order: the trace does not name the events"};
  return s;
}

inline Summary one_step() {
  Summary s;
  s.run = {.path = "one.json",
           .source = "kineto",
           .device = "NVIDIA H100 80GB HBM3",
           .device_count = 1,
           .processes = 1,
           .events = 310};
  add_steps(s, 2, 1, 900 * kUs);
  add_parts(s, {{Cause::host_between_calls, 700 * kUs}, {Cause::gpu_other, 200 * kUs}});
  s.partition.p50_ns = s.partition.p90_ns = 900 * kUs;
  s.partition.bound = Bound::host;
  s.partition.why_bound = "the device waits 78 % of the time for the host to issue work";
  s.counting = "only one steady step: its time is known, its spread is not";
  s.trust.dropped = 12;
  s.trust.zero_timestamps = 3;
  s.trust.rivals = {"nsys"};
  return s;
}

// Nothing repeats: one window over the whole trace.
inline Summary whole_trace() {
  Summary s;
  s.run = {.path = "inference.json",
           .source = "kineto",
           .device = "NVIDIA H100 80GB HBM3",
           .device_count = 1,
           .processes = 1,
           .events = 5'120};
  add_steps(s, 1, 0, 1'234 * kMs);
  s.steps.found_by = FoundBy::whole_trace;
  s.steps.how = "nothing repeats; name the loop with --step-marker REGEX";
  s.steps.confidence = 0;
  add_parts(s, {{Cause::gpu_gemm, 800 * kMs}, {Cause::host_python, 434 * kMs}});
  s.partition.p50_ns = s.partition.p90_ns = 1'234 * kMs;
  s.partition.bound = Bound::mixed;
  s.partition.why_bound =
      "the device works 65 % of the time and waits 35 % for the host to issue work";
  s.counting = "no steps were found: the whole trace is one window";
  return s;
}

inline Summary two_devices() {
  Summary s = gpu();
  s.run.device_count = 2;
  for (std::uint32_t d = 0; d < 2; ++d) {
    s.devices.push_back(s.partition);
    s.devices.back().device = d;
  }
  s.device_health.push_back(s.device_health.front());
  s.device_health[0] = {.device = 0,
                        .samples = 40,
                        .sm_clock_mhz = ClockSpread{1980, 1980, 1980, 1980},
                        .mean_power_w = 500,
                        .memory_peak_bytes = 61.2e9};
  s.device_health[1].device = 1;
  PartitionSummary& slow = s.devices[1];
  slow.device_busy_ns_total /= 2;
  slow.host_wait_ns_total += slow.device_busy_ns_total;
  slow.parts.front() = {Cause::host_python, slow.parts.front().ns_total};
  return s;
}

// One rank of eight: what it sends.
inline Summary ranks() {
  Summary s = gpu();
  s.kernels[1] = {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                  Cause::comm_transfer, "backward", 60, 81 * kMs};
  s.transfers = {{"AllReduce", 0x0123456789abcdef, "sum", "backward", 60, 24'000'000'000, 81 * kMs,
                  /*late_ns_total=*/12 * kMs, /*latest_rank=*/5, 9 * kMs},
                 {"Recv+Send", 0, "", "eval", 4, 4'000, 200 * kUs}};
  return s;
}

// Three ranks on two hosts, of which the last is late.
inline Summary job() {
  Summary s = ranks();
  s.run.path = "job.scope";
  JobFacts job{.world_size = 4, .steps_counted = 10, .wall_ns_total = 382 * kMs, .collectives = 60};
  for (std::int32_t rank = 0; rank < 3; ++rank)
    job.ranks.push_back({.rank = rank,
                         .host = rank < 2 ? "node1" : "node2",
                         .steps_counted = 11,
                         .wall_ns_total = 420'310 * kUs + rank * kMs,
                         .work_ns_total = 300'120 * kUs + rank * 20 * kMs,
                         .waits_ns_total = 41'880 * kUs - rank * 20 * kMs,
                         .transfer_ns_total = 40 * kMs,
                         .costs_ns_total = rank * 30'230 * kUs,
                         .is_late = rank == 2});
  job.ranks.back().reasons = {
      {Cause::host_python, "data", "/home/user/data.py", 7, "load", 60'460 * kUs}};
  job.slow_links = {{{1, 2}, "AllReduce", 3.25, 12'400 * kUs, 20}};
  job.clocks = {{.host = "node2", .offset_ns = -1'500, .error_ns = 300, .collectives = 60}};
  job.notes = {"rank 3 is not here"};
  s.job = job;
  return s;
}

// A loop that trains, which can be divided otherwise, and one that evaluates.
inline Summary two_loops() {
  Summary s = gpu();
  s.run.path = "loops.scope";
  const Interval all{0, 2'000 * kMs};
  s.steps.recorded = all;
  const Division training{FoundBy::optimizer, 12, {100 * kMs, 1'300 * kMs}, "Optimizer.step"};
  const Division halves{FoundBy::periodicity, 24, {100 * kMs, 1'300 * kMs}, "every 30 launches"};
  const Division batches{FoundBy::data_loader, 1'500, {1'400 * kMs, 1'900 * kMs}, "DataLoader"};
  s.steps.sections = {{"training", {training, halves}}, {"evaluation", {batches}}};
  return s;
}

inline Summary with_host_ops() {
  Summary s = cpu();
  s.run.path = "ops.scope";
  const auto cell = [](Cause cause, const char* operation, std::int64_t ns, std::uint64_t calls) {
    return CellRow{.cause = cause,
                   .phase = "backward",
                   .phase_path = "backward",
                   .ns_total = ns,
                   .operation = operation,
                   .calls_total = calls};
  };
  s.cells = {cell(Cause::host_compute_gemm, "aten::addmm", 1'820 * kMs, 84),
             cell(Cause::host_compute_select, "aten::topk", 630 * kMs, 7),
             cell(Cause::host_compute_elementwise, "aten::add_", 100 * kMs, 2'800),
             cell(Cause::host_compute_elementwise, "aten::relu", 90 * kMs, 70),
             cell(Cause::host_compute_elementwise, "aten::mul", 86 * kMs, 70),
             cell(Cause::host_compute_elementwise, "aten::sub", 60 * kMs, 70)};
  return s;
}

inline Summary broken() {
  Summary s = one_step();
  s.trust.broken_invariants = {"the parts sum to 899999 ns, the steps' wall time is 900000 ns"};
  return s;
}

inline Summary empty() {
  Summary s;
  s.run = {.path = "empty.scope", .source = "stepscope", .processes = 1, .events = 4};
  s.partition.why_bound = "no step was counted";
  return s;
}

}  // namespace stepscope::samples

// SPDX-License-Identifier: Apache-2.0
// Writes the recording of a job of many ranks, one .sst file a rank.
//
// Eight ranks share a host, and each host has a clock of its own. A step is some operations, each
// with its launch and its kernel of 20 us, then four all-reduces that no rank leaves before the last
// one has entered, then the optimizer. Rank RANKS / 2 sorts for 2 ms on its host in each step. All
// other differences between ranks are noise of 1 %. Times are in ns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/store/save.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope::recorded_job {

inline constexpr std::uint32_t kRanksOfHost = 8;
inline constexpr int kReduces = 4;
inline constexpr std::int64_t kKernel = 20'000, kTransfer = 150'000, kLate = 2'000'000;
inline constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

struct Plan {
  std::string folder;
  std::uint32_t ranks = 8;
  std::uint32_t steps = 50;
  std::uint32_t kernels = 300;
};

struct Step {
  std::vector<std::int64_t> begins;  // by rank
  std::vector<std::int64_t> busy;    // time of the kernels, by rank
  std::int64_t entered = 0;          // when the last rank entered the first all-reduce
  std::int64_t end() const { return entered + kReduces * kTransfer + 300'000; }
};

// The true times of all ranks, by one clock.
inline std::vector<Step> steps_of(const Plan& plan) {
  std::mt19937_64 random(plan.ranks);
  std::normal_distribution<double> noise(1.0, 0.01);
  std::vector<Step> out;
  std::int64_t at = kStart;
  for (std::uint32_t s = 0; s < plan.steps; ++s) {
    Step step;
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      step.begins.push_back(at + (r == plan.ranks / 2 ? kLate : 0));
      step.busy.push_back(
          static_cast<std::int64_t>(noise(random) * static_cast<double>(plan.kernels * kKernel)));
      step.entered = std::max(step.entered, step.begins.back() + step.busy.back());
    }
    at = step.end();
    out.push_back(std::move(step));
  }
  return out;
}

class RankWriter {
 public:
  RankWriter(const Plan& plan, std::uint32_t rank)
      : plan_(plan), rank_(rank), clock_((rank / kRanksOfHost) * 1'000'000'007LL) {
    Process& process = make_.data.processes.front();
    process.pid = 1000 + rank;
    process.rank = static_cast<std::int32_t>(rank);
    process.world_size = static_cast<std::int32_t>(plan.ranks);
    process.host = fmt::format("host{}", rank / kRanksOfHost);
    process.name = "python";
    make_.data.collected = {.device_ops = true,
                            .api_calls = true,
                            .api_arguments = true,
                            .framework_ops = true,
                            .call_sites = true};
    sort_ = make_.site("train.py", 12);
    forward_ = make_.site("train.py", 20);
    optimizer_ = make_.site("train.py", 31);
  }

  void add(const Step& step, std::int64_t previous_end) {
    const std::int64_t begin = step.begins[rank_];
    if (begin > previous_end)
      make_.range(HostKind::op, "aten::sort", 1, previous_end + clock_, begin + clock_, sort_);
    const std::int64_t each = step.busy[rank_] / plan_.kernels;
    for (std::uint32_t k = 0; k < plan_.kernels; ++k) operation(begin + k * each, each);
    std::int64_t entered = begin + step.busy[rank_];
    for (int i = 0; i < kReduces; ++i) {
      const std::int64_t end = step.entered + (i + 1) * kTransfer;
      launched("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", begin + 1'000 + 3'000 * i, entered, end);
      entered = end;
    }
    const std::int64_t end = step.end();
    make_.call("cudaStreamSynchronize", 1, begin + step.busy[rank_] - 5'000 + clock_,
               entered + 10'000 + clock_, 0, make_.stream(0));
    make_.range(HostKind::user_scope, "Optimizer.step#AdamW.step", 1, entered + 20'000 + clock_,
                end - 10'000 + clock_, optimizer_);
  }

  Trace build() { return make_.build(); }

 private:
  void operation(std::int64_t begin, std::int64_t each) {
    const std::int64_t host = each * 6 / 10 - static_cast<std::int64_t>(random_() % 4'000);
    make_.range(HostKind::op, "aten::mm", 1, begin + clock_, begin + host + clock_, forward_);
    launched("ampere_bf16_s16816gemm_bf16_128x128", begin + host / 2, begin + host - 1'000,
             begin + each + host - 1'000);
  }

  void launched(const char* name, std::int64_t launch, std::int64_t begin, std::int64_t end) {
    ++correlation_;
    make_.call("cudaLaunchKernel", 1, launch + clock_, launch + 2'000 + clock_, correlation_,
               make_.stream(0));
    make_.kernel(name, 0, std::max(begin, last_end_) + clock_, end + clock_, correlation_);
    last_end_ = end;
  }

  const Plan& plan_;
  std::uint32_t rank_;
  std::mt19937_64 random_{rank_ + 1U};
  std::int64_t clock_;
  TraceMaker make_;
  SiteId sort_ = kNone, forward_ = kNone, optimizer_ = kNone;
  std::uint32_t correlation_ = 0;
  std::int64_t last_end_ = 0;
};

inline Trace trace_of(const Plan& plan, const std::vector<Step>& steps, std::uint32_t rank) {
  RankWriter writer(plan, rank);
  std::int64_t previous_end = kStart;
  for (const Step& step : steps) {
    writer.add(step, previous_end);
    previous_end = step.end();
  }
  return writer.build();
}

inline std::string file_of(const Plan& plan, std::uint32_t rank) {
  return fmt::format("{}/rank{:05}.sst", plan.folder, rank);
}

inline Status write_job(const Plan& plan) {
  std::filesystem::create_directories(plan.folder);
  const std::vector<Step> steps = steps_of(plan);
  Status written = Done{};
  for (std::uint32_t rank = 0; rank < plan.ranks && written; ++rank)
    written = save(trace_of(plan, steps, rank), file_of(plan, rank));
  return written;
}

}  // namespace stepscope::recorded_job

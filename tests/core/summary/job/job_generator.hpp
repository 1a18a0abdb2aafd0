// SPDX-License-Identifier: Apache-2.0
// Makes the records of a job whose truth is known: ranks run the same program of work and
// collectives; one may be disturbed. Hosts have clocks that are off and drift.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/summary/job/rank_record.hpp"
#include "tests/core/summary/job/pipeline_schedule.hpp"

namespace stepscope::job::test {

enum class Topology : std::uint8_t { data, data_overlapped, tensor, fsdp, pipeline, broadcast };
// Faults of `late_rank`. In `swapped` it and a rank of the next host run on each other's: on a slower machine,
// and by another clock, than its number says.
enum class Fault : std::uint8_t {
  none,
  input,
  garbage,
  clocks,
  python,
  imbalance,
  copies,
  swapped,
  link
};

struct JobPlan {
  std::uint64_t seed = 1;
  std::uint32_t ranks = 4;
  std::uint32_t hosts = 1;
  std::uint32_t steps = 30;
  Topology topology = Topology::data;
  Fault fault = Fault::none;
  std::uint32_t late_rank = 0;
  double fault_share = 0.2;           // share of the step
  double noise = 0.01;                // relative, for each piece of work
  std::int64_t end_noise_ns = 2'000;  // for a collective's end on each rank
  std::int64_t largest_offset_ns = 3'600'000'000'000;
  double largest_drift = 20e-6;
  // How many times as long work takes beside a collective that waits for another rank.
  double slowed_beside_a_wait = 1;
  // In a swapped job ranks bear the names of the hosts that their numbers say.
  bool named_by_number = false;
};

struct Made {
  std::vector<RankRecord> ranks;
  Owners owners;
  std::vector<std::int64_t> offset_of_host;  // at the job's begin
  std::vector<double> drift_of_host;
  std::vector<std::uint32_t> host_of_rank;  // where it runs, whatever its record names

  // What the rank's clock shows at a moment.
  std::int64_t by_clock_of(std::uint32_t rank, std::int64_t moment) const {
    const std::uint32_t h = host_of_rank[rank];
    return moment + offset_of_host[h] +
           static_cast<std::int64_t>(drift_of_host[h] * static_cast<double>(moment - kBegin));
  }
  static constexpr std::int64_t kBegin = 1'000'000'000'000;
};

class Generator {
 public:
  explicit Generator(const JobPlan& plan) : plan_(plan), random_(plan.seed) {
    made_.ranks.resize(plan.ranks);
    clock_.assign(plan.ranks, Made::kBegin);
    async_.resize(plan.ranks);
    waits_until_.assign(plan.ranks, 0);
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      made_.ranks[r].rank = static_cast<std::int32_t>(r);
      made_.host_of_rank.push_back(host_of(r));
      const std::uint32_t host = plan.named_by_number ? numbered_host_of(r) : host_of(r);
      made_.ranks[r].host = "host" + std::to_string(host);
    }
  }

  Made make() {
    for (step_ = 0; step_ < plan_.steps; ++step_) {
      const std::vector<std::int64_t> begun = clock_;
      one_step();
      for (std::uint32_t r = 0; r < plan_.ranks; ++r)
        made_.ranks[r].steps.push_back({begun[r], clock_[r]});
    }
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) work(r, Cause::host_other, "", 99, 100'000'000);
    move_clocks();
    return std::move(made_);
  }

 private:
  static constexpr std::int64_t kStepNs = 10'000'000;

  std::uint32_t numbered_host_of(std::uint32_t r) const { return r * plan_.hosts / plan_.ranks; }
  // A host's worth of ranks further on.
  std::uint32_t swapped_with_late() const {
    return (plan_.late_rank + (plan_.ranks + plan_.hosts - 1) / plan_.hosts) % plan_.ranks;
  }
  std::uint32_t host_of(std::uint32_t r) const {
    if (is_late(r, Fault::swapped)) return numbered_host_of(swapped_with_late());
    const bool with_it = plan_.fault == Fault::swapped && r == swapped_with_late();
    return numbered_host_of(with_it ? plan_.late_rank : r);
  }
  bool is_late(std::uint32_t r, Fault fault) const {
    return plan_.fault == fault && plan_.late_rank == r;
  }

  void work(std::uint32_t r, Cause cause, const char* phase, std::uint32_t line, double ns) {
    std::normal_distribution<double> noise(1, plan_.noise);
    const auto length =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(beside_wait(r, ns * noise(random_))));
    if (length == 0) return;
    const std::uint32_t owner = made_.owners.id_of(
        {.cause = cause, .phase = phase, .phase_path = phase, .file = "train.py", .line = line});
    made_.ranks[r].pieces.push_back({{clock_[r], clock_[r] + length}, owner, kNone});
    clock_[r] += length;
  }

  double beside_wait(std::uint32_t r, double ns) const {
    const auto wait = static_cast<double>(std::max<std::int64_t>(0, waits_until_[r] - clock_[r]));
    const double done = std::min(ns, wait / plan_.slowed_beside_a_wait);
    return ns + done * (plan_.slowed_beside_a_wait - 1);
  }

  void all_work(Cause cause, const char* phase, std::uint32_t line, double share) {
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) work_of(r, cause, phase, line, share);
  }

  void work_of(std::uint32_t r, Cause cause, const char* phase, std::uint32_t line, double share) {
    double ns = share * kStepNs;
    if (is_late(r, Fault::swapped)) ns *= 1 + plan_.fault_share;
    if (is_late(r, Fault::clocks) && cause < Cause::comm_transfer) ns *= 1 + plan_.fault_share;
    if (is_late(r, Fault::python) && cause == Cause::host_python) {
      ns += 0.4 * plan_.fault_share * kStepNs;
      sampled_python(r, phase, 0.6 * plan_.fault_share * kStepNs);
    }
    if (is_late(r, Fault::imbalance) && cause == Cause::gpu_gemm && line == 20)
      ns += plan_.fault_share * kStepNs / layers();
    work(r, cause, phase, line, ns);
  }

  // Python of many lines, as samples show it: each step at some of them, in shares of its own.
  void sampled_python(std::uint32_t r, const char* phase, double ns) {
    std::array<double, 8> shares{};
    double sum = 0;
    for (double& share : shares) sum += share = std::gamma_distribution<double>(0.2)(random_);
    for (std::uint32_t at = 0; at < shares.size(); ++at)
      work(r, Cause::host_python, phase, 30 + at, ns * shares[at] / sum);
  }

  // Layers; of a pipeline, micro-batches.
  std::uint32_t layers() const {
    return plan_.topology == Topology::pipeline ? 2 * plan_.ranks : 4;
  }

  void fault_before_step() {
    const std::uint32_t r = plan_.late_rank;
    const double ns = plan_.fault_share * kStepNs;
    if (plan_.fault == Fault::input) work(r, Cause::host_data_wait, "data", 10, ns);
    if (plan_.fault == Fault::copies) work(r, Cause::copy_h2d_pageable, "data", 11, ns);
    if (plan_.fault == Fault::garbage && step_ % 3 == 0)
      work(r, Cause::host_gc, "forward", 20, 3 * ns);
  }

  void one_step() {
    fault_before_step();
    all_work(Cause::host_data_wait, "data", 10, 0.02);
    all_work(Cause::host_python, "forward", 19, 0.05);
    if (plan_.topology == Topology::pipeline) return pipeline_step();
    if (plan_.topology == Topology::broadcast) broadcast(0.02, "forward", 19);
    for (std::uint32_t l = 0; l < layers(); ++l) {
      if (plan_.topology == Topology::fsdp) blocking(everyone(), 1, 0.01, "forward", 20);
      all_work(Cause::gpu_gemm, "forward", 20, 0.07);
      if (plan_.topology == Topology::tensor) in_groups(0.01, "forward", 21);
    }
    for (std::uint32_t l = 0; l < layers(); ++l) {
      all_work(Cause::gpu_gemm, "backward", 30, 0.12);
      if (plan_.topology == Topology::tensor) in_groups(0.01, "backward", 30);
      if (plan_.topology == Topology::fsdp) blocking(everyone(), 1, 0.01, "backward", 30);
      if (plan_.topology == Topology::data_overlapped) issue(0.02);
    }
    if (plan_.topology == Topology::data_overlapped) wait_for_all("backward", 30);
    if (plan_.topology == Topology::tensor && plan_.ranks > 2)
      in_replicas(0.05, "backward", 30);
    else if (plan_.topology == Topology::data || plan_.topology == Topology::tensor ||
             plan_.topology == Topology::broadcast)
      blocking(everyone(), 1, 0.05, "backward", 30);
    all_work(Cause::gpu_optimizer, "optimizer", 40, 0.05);
  }

  std::vector<std::uint32_t> everyone() const {
    std::vector<std::uint32_t> all(plan_.ranks);
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) all[r] = r;
    return all;
  }

  void in_groups(double share, const char* phase, std::uint32_t line) {
    for (std::uint32_t r = 0; r + 1 < plan_.ranks; r += 2)
      blocking({r, r + 1}, 100 + r, share, phase, line);
  }

  // Ranks that hold the same part of the model sum its gradients.
  void in_replicas(double share, const char* phase, std::uint32_t line) {
    for (std::uint32_t part = 0; part < 2; ++part) {
      std::vector<std::uint32_t> group;
      for (std::uint32_t r = part; r < plan_.ranks; r += 2) group.push_back(r);
      blocking(group, 200 + part, share, phase, line);
    }
  }

  // A transfer is as slow as the slowest link that it goes over.
  double on_links(const std::vector<std::uint32_t>& group, double share) const {
    const bool slow = std::any_of(group.begin(), group.end(),
                                  [this](std::uint32_t r) { return is_late(r, Fault::link); });
    return slow ? share * (1 + 10 * plan_.fault_share) : share;
  }

  std::int64_t end_noise() {
    return std::uniform_int_distribution<std::int64_t>(0, plan_.end_noise_ns)(random_);
  }

  std::uint32_t use(std::uint32_t r, std::uint64_t communicator, double share, Interval time) {
    made_.ranks[r].collectives.push_back({communicator, ordinal_[{r, communicator}]++, "AllReduce",
                                          time, static_cast<std::uint64_t>(share * 1e9)});
    return static_cast<std::uint32_t>(made_.ranks[r].collectives.size() - 1);
  }

  void stand_in(std::uint32_t r, std::uint32_t collective, std::int64_t end, const char* phase,
                std::uint32_t line) {
    if (end <= clock_[r]) return;
    const std::uint32_t owner = made_.owners.id_of({.cause = Cause::comm_transfer,
                                                    .phase = phase,
                                                    .phase_path = phase,
                                                    .file = "train.py",
                                                    .line = line});
    made_.ranks[r].pieces.push_back({{clock_[r], end}, owner, collective});
    clock_[r] = end;
  }

  void blocking(const std::vector<std::uint32_t>& group, std::uint64_t communicator, double share,
                const char* phase, std::uint32_t line) {
    std::int64_t last = 0;
    for (const std::uint32_t r : group) last = std::max(last, clock_[r]);
    const auto end = last + static_cast<std::int64_t>(on_links(group, share) * kStepNs);
    for (const std::uint32_t r : group) {
      const std::int64_t own = end + end_noise();
      stand_in(r, use(r, communicator, share, {clock_[r], own}), own, phase, line);
    }
  }

  // Rank 0 sends to all others, and waits for none.
  void broadcast(double share, const char* phase, std::uint32_t line) {
    const std::int64_t sent = clock_[0] + static_cast<std::int64_t>(share * kStepNs);
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      const std::int64_t end = std::max(sent, clock_[r] + 5'000) + end_noise();
      const std::uint32_t row = use(r, 1, share, {clock_[r], end});
      made_.ranks[r].collectives[row].messages = {{0, false}};
      stand_in(r, row, end, phase, line);
    }
  }

  void pipeline_step() {
    std::vector<std::vector<StageAction>> todo(plan_.ranks);
    for (std::uint32_t r = 0; r < plan_.ranks; ++r)
      todo[r] = one_forward_one_backward(r, plan_.ranks, layers());
    std::vector<std::size_t> next(plan_.ranks, 0);
    for (bool moves = true; moves;) {
      moves = false;
      for (std::uint32_t r = 0; r < plan_.ranks; ++r) moves = advance(r, todo, next) || moves;
    }
    all_work(Cause::gpu_optimizer, "optimizer", 40, 0.05);
  }

  // Goes on until it waits for a stage that is not there yet.
  bool advance(std::uint32_t r, const std::vector<std::vector<StageAction>>& todo,
               std::vector<std::size_t>& next) {
    const std::size_t before = next[r];
    for (; next[r] < todo[r].size(); ++next[r]) {
      const StageAction& own = todo[r][next[r]];
      if (own.kind == StageAction::forward) {
        work_of(r, Cause::gpu_gemm, "forward", 20, 0.3 / layers());
      } else if (own.kind == StageAction::backward) {
        work_of(r, Cause::gpu_gemm, "backward", 30, 0.5 / layers());
      } else {
        const std::uint32_t peer = own.peer;
        if (next[peer] == todo[peer].size() || !todo[peer][next[peer]].exchanges_with(r)) break;
        exchange(r, own, peer, todo[peer][next[peer]]);
        ++next[peer];
      }
    }
    return next[r] != before;
  }

  void exchange(std::uint32_t a, const StageAction& of_a, std::uint32_t b,
                const StageAction& of_b) {
    constexpr double kShare = 0.002;
    const std::int64_t end =
        std::max(clock_[a], clock_[b]) + static_cast<std::int64_t>(kShare * kStepNs);
    for (const auto& [r, action] : {std::pair(a, of_a), std::pair(b, of_b)}) {
      const std::int64_t own = end + end_noise();
      const std::uint32_t row = use(r, 1, kShare, {clock_[r], own});
      made_.ranks[r].collectives[row].name = "SendRecv";
      for (const bool sends : {true, false})
        if (sends ? action.sends : action.receives)
          made_.ranks[r].collectives[row].messages.push_back({action.peer, sends});
      stand_in(r, row, own, "forward", 22);
    }
  }

  // On a stream of its own: it begins when it is issued and the one before it has ended.
  void issue(double share) {
    std::int64_t last = 0;
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      const std::int64_t begin = std::max(clock_[r], stream_free_);
      async_[r].push_back(use(r, 1, share, {begin, begin}));
      last = std::max(last, begin);
    }
    waits_until_.assign(plan_.ranks, last);
    stream_free_ = last + static_cast<std::int64_t>(on_links(everyone(), share) * kStepNs);
    for (std::uint32_t r = 0; r < plan_.ranks; ++r)
      made_.ranks[r].collectives[async_[r].back()].time.end = stream_free_;
  }

  void wait_for_all(const char* phase, std::uint32_t line) {
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      for (const std::uint32_t u : async_[r])
        stand_in(r, u, made_.ranks[r].collectives[u].time.end, phase, line);
      async_[r].clear();
    }
  }

  void move_clocks() {
    std::uniform_int_distribution<std::int64_t> offset(-plan_.largest_offset_ns,
                                                       plan_.largest_offset_ns);
    std::uniform_real_distribution<double> drift(-plan_.largest_drift, plan_.largest_drift);
    made_.offset_of_host.push_back(0);
    made_.drift_of_host.push_back(0);
    for (std::uint32_t h = 1; h < plan_.hosts; ++h) {
      made_.offset_of_host.push_back(offset(random_));
      made_.drift_of_host.push_back(drift(random_));
    }
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      const auto move = [&](std::int64_t& t) { t = made_.by_clock_of(r, t); };
      RankRecord& rank = made_.ranks[r];
      for (Piece& piece : rank.pieces) move(piece.time.begin), move(piece.time.end);
      for (CollectiveUse& u : rank.collectives) move(u.time.begin), move(u.time.end);
      for (Interval& step : rank.steps) move(step.begin), move(step.end);
    }
  }

  JobPlan plan_;
  std::mt19937_64 random_;
  Made made_;
  std::uint32_t step_ = 0;
  std::vector<std::int64_t> clock_;
  std::int64_t stream_free_ = 0;
  std::vector<std::int64_t> waits_until_;  // by rank: when the last rank enters its collective
  std::vector<std::vector<std::uint32_t>> async_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> ordinal_;
};

}  // namespace stepscope::job::test

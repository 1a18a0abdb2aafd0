// SPDX-License-Identifier: Apache-2.0
#include "tests/simulator/truth.hpp"

#include <algorithm>

namespace stepscope::simulator {
namespace {

class Truth {
 public:
  explicit Truth(const Run& run) : run_(run) {
    for (std::uint32_t i = 0; i < run.ops.size(); ++i) by_begin_.push_back(i);
    std::stable_sort(by_begin_.begin(), by_begin_.end(), [&run](std::uint32_t a, std::uint32_t b) {
      return run.ops[a].begin < run.ops[b].begin;
    });
  }

  PerCause<std::int64_t> partition() {
    if (run_.windows.empty()) return parts_;
    const Interval all{run_.windows.front().begin, run_.windows.back().end};
    IntervalSet taken;
    for (const int rank : {0, 1, 2}) own_busy(rank, all, taken);
    for (const Interval& idle : complement(taken, all)) own_idle(idle);
    return parts_;
  }

 private:
  static int rank_of(Cause cause) {  // compute, communication, copy
    if (cause <= Cause::gpu_other) return 0;
    return cause <= Cause::comm_late_rank ? 1 : 2;
  }

  // Time in which ops of this rank run and none of a higher one does. Equal ranks share one cause
  // later (merge_equals), so the first may own an overlap.
  void own_busy(int rank, Interval all, IntervalSet& taken) {
    IntervalSet before = taken;
    for (const std::uint32_t at : by_begin_) {
      const SimulatedOp& op = run_.ops[at];
      if (rank_of(op.cause) != rank) continue;
      const Interval time = intersect({op.begin, op.end}, all);
      if (!time.empty()) busy_.push_back({time, op.cause});
    }
    std::vector<Interval> all_taken = before;
    std::int64_t covered_to = all.begin;
    for (const auto& [time, cause] : busy_) {
      const Interval fresh{std::max(time.begin, covered_to), time.end};
      if (!fresh.empty()) {
        const std::int64_t hidden = total_length(clip(before, fresh));
        parts_[index_of(cause)] += fresh.length() - hidden;
        covered_to = fresh.end;
      }
      all_taken.push_back(time);
    }
    busy_.clear();
    taken = unite(std::move(all_taken));
  }

  // The op that ended the idle time; where none did, the loop's thread.
  void own_idle(Interval idle) {
    const auto next = std::lower_bound(
        by_begin_.begin(), by_begin_.end(), idle.end,
        [this](std::uint32_t op, std::int64_t t) { return run_.ops[op].begin < t; });
    if (next == by_begin_.end()) return own_thread(kLoop, idle);
    own_wait_of(run_.ops[*next], idle);
  }

  // Once issued, an op waits for its arrival where that is what decided its begin; else for the
  // device, which turns to it when the ops before it are done.
  void own_wait_of(const SimulatedOp& op, Interval idle) {
    const std::int64_t submit = std::clamp(op.submit, idle.begin, idle.end);
    const Cause cause = op.bound_by_launch ? Cause::launch_latency : op.ready_cause;
    parts_[index_of(cause)] += idle.end - submit;
    own_thread(op.thread, {idle.begin, submit});
  }

  // What the thread did, or what it was blocked on did.
  void own_thread(std::uint32_t thread, Interval time) {
    const std::vector<HostPiece>& pieces = run_.pieces[thread];
    auto piece =
        std::upper_bound(pieces.begin(), pieces.end(), time.begin,
                         [](std::int64_t t, const HostPiece& p) { return t < p.time.end; });
    while (!time.empty()) {
      const bool known = piece != pieces.end() && piece->time.begin <= time.begin;
      const Interval part = known ? intersect(piece->time, time) : time;
      own_piece(known ? *piece : HostPiece{}, part);
      time.begin = part.end;
      if (known) ++piece;
    }
  }

  void own_piece(const HostPiece& piece, Interval part) {
    if (piece.blocked_on_thread != kNone) return own_thread(piece.blocked_on_thread, part);
    if (piece.blocked_on_op != kNone) return own_wait_of(run_.ops[piece.blocked_on_op], part);
    parts_[index_of(piece.cause)] += part.length();
  }

  struct Busy {
    Interval time;
    Cause cause;
  };
  const Run& run_;
  std::vector<std::uint32_t> by_begin_;
  std::vector<Busy> busy_;
  PerCause<std::int64_t> parts_{};
};

void merge(PerCause<std::int64_t>& parts, Cause first, Cause last) {
  for (std::size_t i = index_of(first) + 1; i <= index_of(last); ++i) {
    parts[index_of(first)] += parts[i];
    parts[i] = 0;
  }
}

}  // namespace

PerCause<std::int64_t> true_partition(const Run& run) {
  return Truth(run).partition();
}

PerCause<std::int64_t> merge_equals(PerCause<std::int64_t> parts) {
  merge(parts, Cause::gpu_gemm, Cause::gpu_other);
  merge(parts, Cause::copy_h2d_pageable, Cause::copy_set);
  return parts;
}

}  // namespace stepscope::simulator

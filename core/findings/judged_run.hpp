// SPDX-License-Identifier: Apache-2.0
// What every rule reads: the run, and what is derived from it once.
//
// Sums are over the counted steps (Summary::counted) in ns. A rule fires only from least_ns() a
// step on: 1 % of the free step, and three times what the mean step is uncertain by (the standard error
// of the mean, by the steps' median deviation, which a few long steps do not move), yet from 5 % of
// the step on in any case: time is charged from the partition, not from differences of steps.
//
// Thresholds compare with the step on a free machine (free_step_ns): on a busy one the time in which
// the loop's thread had no core belongs to no rule but core_contention, and would hide every other
// cost. Texts give shares of the step as it was recorded.
//
// Where the step without its recording is known (--plain-step, --window), it is the step, and the
// device's idle time is what it leaves beside the device's work: idle_per_step() scales to that.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_calls.hpp"
#include "core/simulate/simulator.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::rules {

// Rows of the process's segments with the nanoseconds of each that a rule explains: rules behind it
// do not charge them again.
using Explained = std::vector<std::pair<std::size_t, std::int64_t>>;

struct JudgedRun {
  JudgedRun(const Trace& trace, const Steps& steps, const Attribution& attribution,
            const Summary& summary, const Forecaster& forecaster);

  const Trace& trace;
  const Steps& steps;
  const Attribution& attribution;
  const Summary& summary;
  const Forecaster& forecaster;  // empty: nothing is replayed

  double step_ns = 0;                    // the mean counted step
  double free_step_ns = 0;               // the same without the waits of its thread for a core
  double noise_ns = 0;                   // what that mean is uncertain by
  bool has_device = false;               // else each nanosecond of the step is the host's
  Language language = Language::python;  // in which its reader is advised
  bool inflated = false;                 // host times hold an unknown part of the tracer's
  std::vector<SiteId> sites;           // by host range: its user line, or that of what encloses it
  std::vector<bool> optimizer_phases;  // the phase or one around it has "optim" in its name
  HostCalls calls;

  const std::vector<Segment>& segments() const { return attribution.process.segments; }
  double per_step(std::int64_t ns) const;
  double idle_per_step(std::int64_t ns) const { return idle_scale_ * per_step(ns); }
  // Returns a step's share of wall time in which the device works and idles.
  double wall_per_step(std::int64_t ns) const { return wall_scale_ * per_step(ns); }
  double count_per_step(std::uint64_t count) const {
    return per_step(static_cast<std::int64_t>(count));
  }
  double share(double ns_per_step) const { return step_ns > 0 ? ns_per_step / step_ns : 0; }
  // Returns the share of the step on a free machine, with which thresholds compare.
  double weight(double ns_per_step) const {
    return free_step_ns > 0 ? ns_per_step / free_step_ns : 0;
  }
  double least_ns() const { return least_ns(noise_ns); }
  double least_ns(double noise) const;
  bool counts(std::int64_t time) const;  // lies in a counted step
  // Returns the segment that holds the time; null before the first.
  const Segment* segment_at(std::int64_t time) const;
  bool in_optimizer(std::int64_t time) const;
  bool makes_input(std::int64_t time) const;  // a loader does, on the loop's thread
  bool counts_op(DeviceOpId op) const;        // is this process's and begins in a counted step
  bool is_first_step_alone() const {          // it holds what a program does once
    return summary.counted.size() == 1 && summary.counted.front() == 0;
  }
  // A step's time without evidence of what the device waited for.
  double unknown_per_step() const;
  // Returns the part of a segment that lies in counted steps and is not explained yet.
  std::int64_t unexplained_ns(std::size_t segment) const;
  void explain(const Explained& parts);
  std::string_view phase_name(PhaseId phase) const;  // empty for the root
  std::string line_text(SiteId site) const;          // "train.py:12"; empty without a line

 private:
  double idle_scale_ = 1;
  double wall_scale_ = 1;
  std::vector<std::int64_t> explained_;  // by segment of the process's partition
  IntervalSet windows_;
};

// Standard error of the mean of steps of these lengths, by their median absolute deviation.
double uncertainty_of_mean(const std::vector<std::int64_t>& walls);

}  // namespace stepscope::rules

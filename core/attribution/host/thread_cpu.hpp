// SPDX-License-Identifier: Apache-2.0
// How much of an interval a thread spent on a CPU, from samples of its CPU clock (its own, and
// those of the sampler beside it): between two it is taken to have run evenly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class ThreadCpu {
 public:
  explicit ThreadCpu(const Trace& trace);

  // 0..1; nothing where no samples lie around the interval.
  std::optional<double> share(ThreadId thread, Interval time) const;

 private:
  struct Sample {
    std::int64_t time;
    double cpu_ns;
  };
  static double cpu_at(const std::vector<Sample>& samples, std::int64_t time);

  std::vector<std::vector<Sample>> samples_;  // by thread, in order of time
};

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// How the host's cores were taken: how long the loop's thread was ready to run and had no core, and
// how many cores the machine has. From the sampler's counters (docs/design/sampling.md): between
// two samples a thread is taken to have waited evenly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/findings/scene.hpp"

namespace stepscope::rules {

class CoreWait {
 public:
  explicit CoreWait(const Scene& scene);

  bool is_known() const { return samples_.size() >= 2; }
  // In which the thread was ready and had no core; 0 outside the samples.
  double ns_in(Interval time) const;

 private:
  struct Sample {
    std::int64_t time;
    double waited_ns;
  };
  double waited_at(std::int64_t time) const;

  std::vector<Sample> samples_;  // in order of time
};

// That the process may use; nothing where the trace does not say.
std::optional<std::uint32_t> core_count(const Scene& scene);

// Of the time of these samples that the thread of the loop's input was on a core: of its workers,
// where it has some, else of the loop's thread within `times`. Nothing where it was not sampled.
std::optional<double> input_cpu_share(const Scene& scene, const IntervalSet& times);

// Workers of a DataLoader that the loop's process has.
std::uint32_t loader_workers(const Scene& scene);

}  // namespace stepscope::rules

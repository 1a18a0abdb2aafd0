// SPDX-License-Identifier: Apache-2.0
// A program executed by tests/simulator, recorded and ready to be replayed, with its true step.
#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "core/simulate/simulator.hpp"
#include "tests/simulator/machine.hpp"
#include "tests/simulator/recording.hpp"

namespace stepscope::simulator {

inline double true_step_ns(const Run& run) {
  double sum = 0;
  for (const Interval& window : run.windows) sum += static_cast<double>(window.length());
  return sum / static_cast<double>(run.windows.size());
}

struct SimulatedRun {
  Run run;
  Trace trace;
  Steps steps;
  Attribution attribution;
  std::vector<std::uint32_t> counted;

  explicit SimulatedRun(const Program& program, std::uint64_t seed)
      : run(execute(program, seed)),
        trace(record(run)),
        steps(true_steps(run, trace)),
        attribution(attribute(trace, steps).value()),
        counted(steps.list.size()) {
    std::iota(counted.begin(), counted.end(), 0U);
  }

  Result<Simulator> simulator() const {
    return Simulator::build(trace, steps, attribution, counted);
  }
};

}  // namespace stepscope::simulator

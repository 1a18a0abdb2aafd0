// SPDX-License-Identifier: Apache-2.0
// The task graph of the counted steps, replayed as it is and with fixes; results are times of one
// step.
//
// A replay's times are anchored: T = measured step x replay with the fixes / replay without. Where
// the cost of recording on the host is not known, `other` is a second graph that takes it into
// account, and forecasts weigh both.
// Internal to core/simulate.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/simulate/edits/edit.hpp"
#include "core/simulate/fix.hpp"
#include "core/simulate/graph/task_graph.hpp"
#include "core/simulate/replay.hpp"

namespace stepscope {

struct FixedSteps {
  TaskGraph graph;
  Replayed replayed;
  std::size_t touched = 0;  // tasks; 0: there was nothing to change
  std::vector<std::string> assumptions;
};

struct ReplayedSteps {
  struct Other {
    TaskGraph graph;
    double base_ns = 0;
    // Weight of this graph in the expected value; the interval holds both graphs' values.
    double weight = 0;
  };

  TaskGraph graph;
  Replayed base;                   // replay of the unchanged graph
  double anchor_ns = 0;            // a step
  std::vector<double> counted_ns;  // times of all counted steps, also of those not replayed
  std::vector<Phase> phases;       // Attribution::phases
  std::optional<Other> other;

  void take_other(TaskGraph alternative, double weight);

  FixedSteps with(std::span<const Fix> fixes, Luck luck) const;
  std::size_t touched_by(const Fix& fix) const;

  // Scales a replayed time to the measured step.
  double anchored(double replayed_ns) const { return anchor_ns * replayed_ns / base.ns(); }
  // Returns the step with the fixes by the other graph, which must exist.
  double other_ns(std::span<const Fix> fixes, Luck luck) const;
  // Returns the step with the fixes by the weighted mean of both graphs.
  double by_both(const FixedSteps& fixed, std::span<const Fix> fixes) const;
  // Raises the replayed time `ns` to the expected one: where a fix gives its full gain only with a
  // chance (Fix::expected_share), the rest of what it adds to the other fixes stays in the step.
  double expected(double ns, std::span<const Fix> fixes) const;
  // Returns the time that the host alone needs: a replay with a device that takes no time.
  double host_ns(std::span<const Fix> fixes) const;
};

}  // namespace stepscope

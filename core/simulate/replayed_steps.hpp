// SPDX-License-Identifier: Apache-2.0
// The task graph of the counted steps, replayed as it is and with fixes; times as a step takes them.
//
// A replay's times are anchored: T = measured step x replay with the fixes / replay without. Where
// it is not known what recording cost the host, a second graph is another account of it.
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
    double weight = 0;  // of it in what is expected; its interval holds both
  };

  TaskGraph graph;
  Replayed base;              // of the graph as it is
  double anchor_ns = 0;       // a step
  std::vector<Phase> phases;  // Attribution::phases
  std::optional<Other> other;

  void take_other(TaskGraph alternative, double weight);

  FixedSteps with(std::span<const Fix> fixes, Luck luck) const;
  std::size_t touched_by(const Fix& fix) const;

  // What such a replay is of the measured step.
  double anchored(double replayed_ns) const { return anchor_ns * replayed_ns / base.ns(); }
  // The step with the fixes by the other graph, which there is.
  double other_ns(std::span<const Fix> fixes, Luck luck) const;
  // By this graph and by the other.
  double by_both(const FixedSteps& fixed, std::span<const Fix> fixes) const;
  // Of `ns`, what the replay gives: it is not all expected (Fix::expected_share). Of what such a
  // repair adds to the others, the rest stays in the step.
  double expected(double ns, std::span<const Fix> fixes) const;
  // As replayed, with a device that takes no time: what the host alone needs.
  double host_ns(std::span<const Fix> fixes) const;
};

}  // namespace stepscope

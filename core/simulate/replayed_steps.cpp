// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/replayed_steps.hpp"

#include <algorithm>
#include <utility>

#include "core/simulate/selection.hpp"

namespace stepscope {
namespace {

struct Applied {
  TaskGraph graph;
  std::size_t touched = 0;
  std::vector<std::string> assumptions;
};

// Scales, by luck, what workers take for batches for which the loop did not wait.
void take_making(Luck luck, Applied& out) {
  bool is_unknown = false;
  for (HostTask& task : out.graph.host) {
    if (task.producer == kNone || task.was_awaited) continue;
    const Producer& producer = out.graph.producers[task.producer];
    task.making_ns *= Estimate{1, producer.shortest, producer.longest}.at(luck);
    is_unknown = is_unknown || producer.shortest == 0;
  }
  if (is_unknown)
    out.assumptions.emplace_back(
        "the loop hardly ever waits for its loader, and this trace does not tell how long its "
        "workers take for a batch: half as long as they may at most (nothing to all of it)");
}

Applied apply(std::span<const Fix> fixes, Luck luck, const std::vector<Phase>& phases,
              const TaskGraph& graph) {
  Applied out{.graph = graph};
  take_making(luck, out);
  for (const Fix& fix : fixes) {
    const Selection scope(fix.scope, phases);
    Edit edit{out.graph, fix, scope, luck, out.assumptions};
    for (const EditRow& row : all_edits()) {
      if (row.kind == fix.kind) row.apply(edit);
    }
    out.touched += edit.touched;
  }
  return out;
}

}  // namespace

void ReplayedSteps::take_other(TaskGraph alternative, double weight) {
  const double base_ns = replay(alternative).ns();
  other = Other{std::move(alternative), base_ns, weight};
}

FixedSteps ReplayedSteps::with(std::span<const Fix> fixes, Luck luck) const {
  Applied applied = apply(fixes, luck, phases, graph);
  Replayed replayed = replay(applied.graph);
  return {std::move(applied.graph), std::move(replayed), applied.touched,
          std::move(applied.assumptions)};
}

std::size_t ReplayedSteps::touched_by(const Fix& fix) const {
  return apply({&fix, 1}, Luck::expected, phases, graph).touched;
}

double ReplayedSteps::other_ns(std::span<const Fix> fixes, Luck luck) const {
  const Applied applied = apply(fixes, luck, phases, other->graph);
  return anchor_ns * replay(applied.graph).ns() / other->base_ns;
}

double ReplayedSteps::by_both(const FixedSteps& fixed, std::span<const Fix> fixes) const {
  const double ns = anchored(fixed.replayed.ns());
  return other ? (1 - other->weight) * ns + other->weight * other_ns(fixes, Luck::expected) : ns;
}

double ReplayedSteps::expected(double ns, std::span<const Fix> fixes) const {
  double stays = 0;
  for (std::size_t i = 0, end = 0; i < fixes.size(); i = end) {
    const double share = fixes[i].expected_share;
    while (end < fixes.size() && fixes[end].expected_share == share) ++end;
    if (share >= 1) continue;
    std::vector<Fix> others(fixes.begin(), fixes.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i),
                 others.begin() + static_cast<std::ptrdiff_t>(end));
    const double without =
        others.empty() ? anchor_ns : by_both(with(others, Luck::expected), others);
    stays += (1 - share) * std::max(0.0, without - ns);
  }
  return ns + stays;
}

double ReplayedSteps::host_ns(std::span<const Fix> fixes) const {
  TaskGraph fixed = apply(fixes, Luck::good, phases, graph).graph;
  for (DeviceTask& op : fixed.device) op.ns = 0;
  return replay(fixed).ns();
}

}  // namespace stepscope

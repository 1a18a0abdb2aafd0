// SPDX-License-Identifier: Apache-2.0
// Lists what one stage of a pipeline does in a step: some forward passes to fill the pipeline,
// then one forward and one backward pass in turns, then the backward passes that are left. Messages
// to and from one neighbour that stand side by side go together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stepscope::job::test {

struct StageAction {
  enum Kind : std::uint8_t { forward, backward, exchange };
  Kind kind = forward;
  std::uint32_t peer = 0;
  bool sends = false, receives = false;

  bool exchanges_with(std::uint32_t stage) const { return kind == exchange && peer == stage; }
};

inline std::vector<StageAction> one_forward_one_backward(std::uint32_t stage, std::uint32_t stages,
                                                         std::uint32_t batches) {
  std::vector<StageAction> out;
  const auto exchange = [&](bool upstream, bool sends, bool receives) {
    const bool there = upstream ? stage > 0 : stage + 1 < stages;
    if (there)
      out.push_back({StageAction::exchange, upstream ? stage - 1 : stage + 1, sends, receives});
  };
  const std::uint32_t fill = std::min(stages - stage - 1, batches);
  for (std::uint32_t i = 0; i < fill; ++i) {
    exchange(true, false, true);
    out.push_back({StageAction::forward});
    exchange(false, true, false);
  }
  if (fill < batches) exchange(true, false, true);
  for (std::uint32_t i = fill; i < batches; ++i) {
    out.push_back({StageAction::forward});
    exchange(false, true, true);
    out.push_back({StageAction::backward});
    exchange(true, true, i + 1 < batches);
  }
  for (std::uint32_t i = 0; i < fill; ++i) {
    exchange(false, false, true);
    out.push_back({StageAction::backward});
    exchange(true, true, false);
  }
  return out;
}

}  // namespace stepscope::job::test

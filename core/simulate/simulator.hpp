// SPDX-License-Identifier: Apache-2.0
// Replays the task graph of a trace's counted steps, as recorded and with fixes applied.
//
// A replay of the unchanged graph must give the measured step back: check() says how near it comes.
// A forecast is anchored at the step time that the report prints: T = measured x replay with the
// fixes / replay without. Several fixes are replayed together, never added up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"
#include "core/steps/steps.hpp"
#include "core/support/result.hpp"

namespace stepscope {

struct ReplayCheck {
  double measured_ns_per_step = 0;
  double replayed_ns_per_step = 0;
  double error = 0;  // |replayed - measured| / measured
};

class Simulator {
 public:
  // `counted` are rows of steps.list, as Summary::counted holds them. Errors: inconclusive, where
  // the trace has no two steps that could be replayed.
  static Result<Simulator> build(const Trace& trace, const Steps& steps,
                                 const Attribution& attribution,
                                 const std::vector<std::uint32_t>& counted);

  const ReplayCheck& check() const;
  Forecast forecast(std::span<const Fix> fixes) const;

 private:
  struct State;
  explicit Simulator(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// What a rule needs of it, so that rules are tested without a replay.
using Forecaster = std::function<Forecast(std::span<const Fix>)>;

}  // namespace stepscope

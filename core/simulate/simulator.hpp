// SPDX-License-Identifier: Apache-2.0
// Replays the task graph of a trace's counted steps, as recorded and with fixes applied.
//
// A replay of the unchanged graph must give the measured step back: check() says how near it comes.
// A forecast is anchored at the step time that the report prints: T = measured x replay with the
// fixes / replay without. Several fixes are replayed together, never added up.
// How it works: docs/design/simulation.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"
#include "core/steps/steps.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Above this error of the self-check no forecast is relied on.
inline constexpr double kLargestReplayError = 0.04;

struct ReplayCheck {
  double measured_ns_per_step = 0;  // mean over the steps for which the replayed ones stand
  double replayed_ns_per_step = 0;
  double error = 0;  // |replayed - measured| / measured
};

struct SimulatorOptions {
  // The step's time without a profiler: host times are shortened until the replay gives it, and
  // forecasts are anchored there.
  std::optional<std::int64_t> plain_step_ns;
};

class Simulator {
 public:
  // `counted` are rows of steps.list, as Summary::counted holds them. Errors: inconclusive, where
  // the trace has no step that could be replayed.
  static Result<Simulator> build(const Trace& trace, const Steps& steps,
                                 const Attribution& attribution,
                                 const std::vector<std::uint32_t>& counted,
                                 const SimulatorOptions& options = {});

  const ReplayCheck& check() const;
  double anchor_ns_per_step() const;   // the step time that forecasts are compared with
  std::size_t steps_replayed() const;  // number of counted steps in the replay
  // Sentences that hold for every forecast of this trace.
  const std::vector<std::string>& notes() const;
  // Returns the device's busy time in a step, as measured: no change of the host can make the step
  // shorter than it.
  double busy_ns_per_step() const;

  // Returns why no forecast of this trace can be relied on; empty: they can.
  const std::string& abstained() const;

  Forecast forecast(std::span<const Fix> fixes) const;
  // The same without interval and words, four times as fast.
  double expected_ns_per_step(std::span<const Fix> fixes) const;
  // Fixes for which the replayed steps hold something to change (selection.hpp).
  std::vector<Fix> candidates() const;
  // Returns how many calls and device ops a fix would change; 0: it does not apply.
  std::size_t touches(const Fix& fix) const;

 private:
  struct State;
  explicit Simulator(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// The part of a simulator that rules need, so that rules are tested without a replay.
using Forecaster = std::function<Forecast(std::span<const Fix>)>;

}  // namespace stepscope

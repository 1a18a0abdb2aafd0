// SPDX-License-Identifier: Apache-2.0
#include "core/findings/all_findings.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// A fix that finds nothing to change in the replayed steps has no forecast: "no gain" would be
// wrong.
Forecaster forecaster_of(const Simulator& simulator) {
  return [simulator](std::span<const Fix> fixes) {
    const bool applies = std::all_of(fixes.begin(), fixes.end(), [&simulator](const Fix& fix) {
      return simulator.touches(fix) > 0;
    });
    if (applies) return simulator.forecast(fixes);
    Forecast none;
    none.abstained = "the replayed steps hold nothing that this fix changes";
    return none;
  };
}

}  // namespace

Result<Simulator> simulator_of(const Trace& trace, const Steps& steps,
                               const Attribution& attribution, const Summary& summary) {
  return Simulator::build(trace, steps, attribution, summary.counted,
                          {.plain_step_ns = summary.partition.corrected_step_ns});
}

Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary) {
  return find_all_replayed(trace, steps, attribution, summary,
                           simulator_of(trace, steps, attribution, summary));
}

Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary, const Result<Simulator>& simulator) {
  std::string why_not = simulator ? simulator->abstained() : simulator.error().message;
  Findings out = find_all(trace, steps, attribution, summary,
                          why_not.empty() ? forecaster_of(*simulator) : Forecaster{});
  if (!why_not.empty())
    out.no_forecast =
        "gains are the most that a fix could give, for none could be forecast: " + why_not;
  return out;
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// All rules over one run: what costs time and what to do about it, what was looked at and cleared,
// and what cannot be found in this trace.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/trace.hpp"
#include "core/simulate/simulator.hpp"
#include "core/steps/steps.hpp"
#include "core/summary/finding.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// `forecaster` may be empty: then findings are ordered by their ceilings, and no_forecast says why.
// `summary` is that of the same trace, steps and attribution.
Findings find_all(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const Summary& summary, const Forecaster& forecaster);

// The ids of all rules, in the order in which they are judged.
std::vector<std::string_view> finding_ids();

// Findings with their forecasts, from the one replay that `stepscope whatif` asks, too: so a fix
// has one price, whoever prints it.

// Makes the simulator for the step that the summary judges: without recording, where that is known.
Result<Simulator> simulator_of(const Trace& trace, const Steps& steps,
                               const Attribution& attribution, const Summary& summary);

Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary);
// Asks this replay, which is simulator_of() the same.
Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary, const Result<Simulator>& simulator);

// Findings of a job as a whole, in place of one rank's findings about communication:
//
//   late_rank      fires for a rank that works more than the others by more than chance
//                  (lateness.hpp), if all would gain 1 % of the step by its coming in time; its
//                  lines are those that the ledger charges with the others' waiting
//                  forecast: the step less that gain, with a 90 % interval over the steps
//   exposed_comm   fires where comm.transfer, which no compute hides and which waits for nobody, owns
//                  3 % of all ranks' time
// Both abstain where collectives could not be matched, or ranks are missing.

// `of_rank`: what the rules found in one rank, which is `rank`, with its forecasts in steps of the
// job. They are limited to what the job gains (limit_to_job). `ranks`: the summaries of all ranks.
// `undecided`: why nobody can be called late; empty where that is known.
Findings find_in_job(const Summary& job, std::span<const Summary> ranks, std::int32_t rank,
                     Findings of_rank, const std::string& undecided);

// Lowers the forecast of one rank's finding to what the job gains. Ranks wait for each other, so the
// step becomes shorter by no more than `rank` leads another one by, and what that one gains by the
// same change: it has the part q of the finding's time at the finding's lines, and gains q of the
// forecast. A finding without lines is one of all ranks.
void limit_to_job(const Summary& job, std::span<const Summary> ranks, std::int32_t rank,
                  Finding& finding);

// Returns how far the gain of a late rank's coming in time may be from what it is said to be, a step.
double late_gain_error_ns(const JobFacts& job, const JobRank& late);

// What the events are by which a finding can be seen in its trace.

// Fills in Finding::events. An id that the trace does not hold has none.
void name_evidence(const Trace& trace, const Steps& steps, Findings& findings);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Sentences and cells of a ladder that several writers print.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"

namespace stepscope {

// "llm t90m on NVIDIA H100, 3 repeats of 10 timed steps, 65,536 tokens a step"
std::string ladder_facts(const Ladder& ladder);
// "R0 41,200 tokens/s to R5 371,000: 9.01x (8.95 to 9.07)"; where another is the fastest, that,
// too.
std::string ladder_sentence(const Ladder& ladder);
// "R6 236,000 tokens/s to 4 rungs more 649,000: 2.75x (2.73 to 2.77)"
std::string orders_sentence(const RungOrders& orders);
// "R7 over R6e: 2.10x at micro-batch 1, 1.02x at 32"
std::string sweep_sentence(const LadderSweep& sweep);
// "R7 over R6e"
std::string sweep_ratio_title(const LadderSweep& sweep);
// ladder_facts without the tokens a step, of the first micro-batch that ran.
std::string sweep_facts(const LadderSweep& sweep);
// "2.87x (2.85 to 2.89)"; without an interval "2.87x"; absent: empty.
std::string format_ratio(const std::optional<RepeatedMean>& ratio);
// "±0.7 %": how far the interval reaches above the value; "+-0.7 %" without Unicode; "over 2x"
// beyond that; empty where
// there is none.
std::string format_spread(const RepeatedMean& estimate, bool unicode);
// "40,900 to 41,500"; empty where it has none.
std::string format_rate_range(const RepeatedMean& rate);
// "0.02 %" or, beyond the tolerance, "3.10 % at step 40"
std::string format_parity(const LossParity& parity);
// "gpu.gemm -1,000.2, host.sync_return -20.1, 5 smaller +1.2": ms a step, at most `most` causes.
std::string changes_sentence(const ProfiledStep& step, std::size_t most);

}  // namespace stepscope

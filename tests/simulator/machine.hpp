// SPDX-License-Identifier: Apache-2.0
// Executes a program: each host thread in time order, each stream first in first out, streams
// beside each other. A device op begins when the device knows of it (submit + kLatency), the op
// before it in its stream and every awaited event is done (+ dispatch). Deterministic for a program
// and a noise seed.
#pragma once

#include "tests/simulator/program.hpp"
#include "tests/simulator/run.hpp"

namespace stepscope::simulator {

inline constexpr std::int64_t kLatency = 2100;   // submit to arrival, of every op alike
inline constexpr std::int64_t kDispatch = 1000;  // between two ready ops of a stream
inline constexpr std::int64_t kStagingTail =
    16'000;                                       // a pageable upload's call returns so much early
inline constexpr std::size_t kQueueLimit = 1020;  // launches outstanding at which a call blocks

Run execute(const Program& program, std::uint64_t noise_seed);

}  // namespace stepscope::simulator

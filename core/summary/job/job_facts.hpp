// SPDX-License-Identifier: Apache-2.0
// The ranks of a job beside each other, as every report prints them. Sums are over the job's counted
// steps, which are the same stretches of time for all ranks, in ns of one rank each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attribution/cause.hpp"

namespace stepscope {

// The part of one rank's work for which the other ranks waited.
struct JobReason {
  Cause cause = Cause::unknown;
  std::string phase_path;
  std::string file;  // empty: no line
  std::uint32_t line = 0;
  std::string function;
  std::int64_t ns_total = 0;
};

// What a rank is late by: what its host did, what its device computed, or how its data got along
// (collectives, and copies between host and device).
enum class LateBy : std::uint8_t { host, device, link };

struct JobRank {
  std::int32_t rank = 0;
  std::string host;
  std::uint64_t steps_counted = 0;  // its own counted steps
  std::int64_t wall_ns_total = 0;   // sum over these
  std::int64_t work_ns_total = 0;   // the part of the job's steps that is neither of the next two
  std::int64_t waits_ns_total = 0;  // for other ranks
  std::int64_t transfer_ns_total = 0;
  // The part of the waits for which rank or reason is not known.
  std::int64_t undecided_ns_total = 0;
  std::int64_t costs_ns_total = 0;  // what all others together waited for this one
  std::uint64_t times_last = 0;     // collectives that it entered last
  bool is_late = false;             // works more than the others by more than chance
  std::int64_t gain_ns_total = 0;   // what every rank would gain if it came when the next one does
  std::int64_t gain_error_ns = 0;   // half of the gain's 90 % interval, a step
  std::vector<JobReason> reasons;   // largest first; they sum to costs_ns_total

  double wall_ns_per_step() const {
    return steps_counted ? static_cast<double>(wall_ns_total) / static_cast<double>(steps_counted)
                         : 0;
  }
};

// The part that most of what the others waited for belongs to.
LateBy late_by(const JobRank& rank);
std::string_view name_of(LateBy part);

// Ranks whose transfers take longer than like ones of other ranks, after all have entered.
struct JobLink {
  std::vector<std::int64_t> ranks;  // one: its link; several: a link between them
  std::string operation;
  double times_as_long = 0;
  std::int64_t cost_ns_total = 0;  // in the steps of the rank that lost most
  std::uint64_t collectives = 0;
};

// "the link of rank 3" or "a link between ranks 2, 3".
std::string name_of(const JobLink& link);

struct JobClock {
  std::string host;
  std::int64_t offset_ns = 0;
  double drift = 0;
  std::int64_t error_ns = 0;
  std::uint64_t collectives = 0;
};

struct JobFacts {
  std::int32_t world_size = -1;
  std::uint64_t steps_counted = 0;  // the job's steps: each is one stretch of time
  std::int64_t wall_ns_total = 0;   // sum over these; the partition's is ranks times this
  std::uint64_t collectives = 0;    // collectives that were matched between ranks
  std::vector<JobRank> ranks;       // by rank
  std::uint32_t slowest = 0;        // rows of `ranks`, by work
  std::uint32_t median = 0;
  std::vector<JobLink> slow_links;
  std::vector<JobClock> clocks;    // clocks of hosts beside the first one
  std::vector<std::string> notes;  // ranks that are missing, cut, doubled; what is not decided
};

}  // namespace stepscope

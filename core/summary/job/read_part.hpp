// SPDX-License-Identifier: Apache-2.0
// One part of a job's recording, which holds one rank or several, reduced to what the job's report
// needs of it. Parts are read side by side, also by several processes, so none refers to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/summary/job/rank_record.hpp"
#include "core/summary/summary.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// How each rank is read.
struct JobOptions {
  std::string step_marker;
  std::string phase;
  std::optional<SectionChoice> section;
  SummaryOptions summary;
  bool find = false;  // look for findings, too

  // The way in which a rank's own summary was made (rank_summary.hpp).
  bool is_usual() const {
    return step_marker.empty() && phase.empty() && !section && !summary.plain_step_ns &&
           !summary.flops && !summary.without_long_steps && !summary.only_steps;
  }
};

namespace job {

struct RankRun {
  Steps steps;
  Attribution attribution;
  Summary summary;
};

// Errors: those of find_steps() and attribute(); bad_input where the rank has no steps.
Result<RankRun> read_run(const Trace& trace, std::int32_t rank, const JobOptions& options);

// Reads what the job's ledger needs to know of one rank.
RankRecord read_rank(const Trace& trace, const Steps& steps, const Attribution& attribution,
                     Owners& owners);

struct RankPart {
  std::int32_t rank = 0;
  std::optional<RankRecord> record;  // its owners are those of the part; nothing: it is left out
  Summary summary;
  std::vector<std::string> notes;
};

struct JobPart {
  std::vector<RankPart> ranks;
  Owners owners;
  std::int32_t world_size = -1;
  bool is_own_recording = false;
  std::uint64_t events = 0;
};

JobPart read_part(const Trace& trace, const JobOptions& options);

}  // namespace job
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// The ranks of a job beside each other, in the words of every report.
#pragma once

#include <string>
#include <vector>

#include "core/report/wording/step_scale.hpp"

namespace stepscope {

struct RankLine {
  std::string rank;
  std::string step;  // its own mean step
  std::string work;  // what it did for itself ...
  std::string transfer;
  std::string waits;  // ... and how long it waited for other ranks
  std::string costs;  // what the others waited for it, on the mean of them
  std::string note;   // "late", "slowest", "median"
};

inline const std::vector<std::string> kRankTitles = {"a step", "work", "transfer", "waits",
                                                     "costs others"};

// Empty for one rank's report. Times are a step, in the unit of the report.
std::vector<RankLine> rank_lines(const StepScale& scale);
// What the late ranks were late for, how exact the clocks are, and what is not decided.
std::vector<std::string> job_texts(const StepScale& scale);
// "2 ranks on 1 host"
std::string job_title(const JobFacts& job);

}  // namespace stepscope

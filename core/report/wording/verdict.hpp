// SPDX-License-Identifier: Apache-2.0
// What ran, who limits its step, and how long a step takes, in the words of every report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/table.hpp"
#include "core/report/wording/step_scale.hpp"

namespace stepscope {

struct VerdictLabel {
  std::string_view text;  // "DEVICE-BOUND"
  Tone tone = Tone::neutral;
};

std::vector<std::string> what_ran(const RunFacts& run);      // command, path, source
std::vector<std::string> where_it_ran(const RunFacts& run);  // device, rank, versions, events

VerdictLabel verdict_label(const StepScale& scale);
// Empty where no step was counted. The facts make the sentence where they stand in a row.
std::string step_time_text(const StepScale& scale);
std::vector<std::string> step_time_facts(const StepScale& scale);
// "the machine was busy: ..."; empty where the loop's thread hardly waited for a core, and where a
// finding says so.
std::string busy_machine_text(const StepScale& scale);
// What the job's report calls the time in which this rank waits for others; empty where it stands alone.
std::string rank_alone_text(const StepScale& scale);
// "MFU 41.7 %: 412 of 989 TFLOP/s a GPU (dense bf16)"; only where Summary::throughput is there.
std::string throughput_text(const StepScale& scale);

}  // namespace stepscope

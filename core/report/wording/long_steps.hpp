// SPDX-License-Identifier: Apache-2.0
// Long steps, warm-up and compilation in the words of every report.
#pragma once

#include <string>
#include <vector>

#include "core/report/wording/step_scale.hpp"

namespace stepscope {

// Returns what a view without its long steps lacks, for the heading. Empty: nothing.
std::string trimmed_text(const StepScale& scale);
// Under the headline, where LongSteps::matter(); empty elsewhere.
std::string long_share_text(const StepScale& scale);
// Returns how many long steps there are, their part of the loop's time, by which rule, and who
// owned their excess over the median step, by cause and by line. Empty where no step is long.
std::vector<std::string> long_steps_texts(const StepScale& scale);

// "first 3 steps, 4.2 s: ..."; empty where nothing is warm-up.
std::string warm_up_text(const StepScale& scale);
// Steps in which code was compiled, tuned or loaded for 1 % of a usual step or more, with what it
// cost; empty where none.
std::string compilation_text(const StepScale& scale);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// How the steps were found, which are not counted and why, and how far to trust the numbers, in the
// words of every report.
#pragma once

#include <string>
#include <vector>

#include "core/report/wording/step_scale.hpp"

namespace stepscope {

struct TrustFact {
  std::string text;
  bool good = true;
  bool measured = true;
};

std::vector<TrustFact> trust_facts(const StepScale& scale);
// "no line: 3.1 % threads that run no Python, 0.4 % ..."; empty where nearly all time has one.
std::string without_line_text(const StepScale& scale);
std::string steps_text(const StepScale& scale);
std::string recorder_text(const RecorderCost& cost);

}  // namespace stepscope

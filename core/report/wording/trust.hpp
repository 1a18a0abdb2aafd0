// SPDX-License-Identifier: Apache-2.0
// What a report says beside its numbers: long steps, trust, the devices' health, how the run ended.
#pragma once

#include <string>
#include <vector>

#include "core/device_health/device_health.hpp"
#include "core/report/wording/step_scale.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// How the steps were found, which are not counted and why, and how far to trust the numbers, in the
// words of every report.

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

// How a device was while the steps ran, in the words of every report.

// Whether a reader should act on it: clocks held down, memory that grows, a device that is shared.
bool has_trouble(const DeviceHealth& health);

// Returns the sentences about one device: clocks, reasons, power; then memory, sharing and slow
// steps.
std::vector<std::string> health_sentences(const DeviceHealth& health);

// The same in one line, after the device's number: "GPU 1: SM clock 1755 MHz, 642 W".
std::string health_line(const DeviceHealth& health);

// How the command ended, where it failed: the reader of a report should not take half a run for a
// whole one.

// "the program ended with status 1 after step 12, the last one found", and before that what of a
// recording is missing; empty where it is whole and the program ended well, or the trace records
// neither.
std::string ending_text(const Summary& summary);

// Long steps, warm-up and compilation in the words of every report.

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

// SPDX-License-Identifier: Apache-2.0
// The sentences of a report as values, a list a section, in the order in which they stand in every
// medium. A renderer breaks and paints them; which there are is decided here alone.
#pragma once

#include <string>
#include <vector>

#include "core/report/table.hpp"
#include "core/report/wording/step_scale.hpp"

namespace stepscope::report {

struct Note {
  std::string text;
  Tone tone = Tone::neutral;
  std::string label;              // what kind of note it is: "Broken"
  std::vector<Abstention> items;  // what `text` is about, each with its reason
  Weight weight = Weight::usual;  // minor: left out where one screen must do

  std::string with_label() const { return label.empty() ? text : label + ": " + text; }
  std::string with_items() const;  // "not recorded: host.gc, host.io"
};

// Returns what stands before any number: that numbers contradict each other, or that too much is
// not explained.
std::vector<Note> alerts(const StepScale& scale);
// Returns what stands below the verdict and the step's time.
std::vector<Note> verdict_notes(const StepScale& scale);
// Returns how the steps were found, and which are not counted.
std::vector<Note> step_notes(const StepScale& scale);
// Returns what stands below trust_facts().
std::vector<Note> trust_notes(const StepScale& scale);

}  // namespace stepscope::report

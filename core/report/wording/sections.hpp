// SPDX-License-Identifier: Apache-2.0
// The loops that a run has one after the other, in the words of every report.
#pragma once

#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct SectionLine {
  std::string name;   // "2", "1.1"; empty: what is in no section
  std::string what;   // "training", "the same, divided otherwise", "in no loop"
  std::string time;   // on the host; empty for a division, whose section's it is
  std::string share;  // of what was recorded
  std::string steps;
  std::string mean;    // of the counted steps for the one shown, of all for the others
  std::string choice;  // "shown here", "--section 2"
};

// Sections, their other divisions, and what is in none: the times sum to what was recorded. Empty
// for a run of one loop that can be divided in one way.
std::vector<SectionLine> section_lines(const Summary& summary);
// "of 12.3 s recorded"
std::string sections_title(const Summary& summary);
// What the other divisions are, and why the one that is shown was taken.
std::vector<std::string> section_texts(const Summary& summary);

}  // namespace stepscope

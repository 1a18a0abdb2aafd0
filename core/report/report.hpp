// SPDX-License-Identifier: Apache-2.0
// The report of a run as one value: what ran, the verdict, tables, findings, the devices' health and
// how far to trust all this, in the order in which every medium shows them. report_of() builds it;
// a renderer breaks, paints and chooses how much fits, and knows no rule, cause or device by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/notes.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/findings.hpp"
#include "core/report/wording/trust.hpp"
#include "core/report/wording/verdict.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::report {

// A finding in words. A text is empty where nothing is to be said.
struct FindingText {
  std::string id;
  Severity severity = Severity::info;
  std::string machine;  // the whole sentence of a finding about the machine; empty of all others
  std::string where;    // "train.py:142 (log)"
  std::string gain;     // "8.21 ms becomes 6.90 (6.70 to 7.20)"
  double gain_share = 0;
  std::string title;
  std::string shows_as;
  std::string todo;
  std::string code;  // a few lines, as they stand
  struct At {
    std::string line;      // "models/net.py:12"
    std::string function;  // "in forward"
    std::string time;      // "1.20 ms"
  };
  std::vector<At> places;  // largest first
  std::string how_often;
  std::string wrong_if;
  std::string certainty;
  std::string assumes;
  std::vector<std::pair<std::string, std::string>> events;  // the id, and what it is
};

struct FindingsText {
  std::vector<FindingText> found;       // those about the machine, then by what the fix gives
  std::string none;                     // what stands in their place where there is none
  std::string caution;                  // holds for all that was found
  std::string no_forecast;              // why none of these has a forecast
  std::vector<std::string> no_gain;     // a sentence each
  std::vector<RuleText> cleared;        // by rule, with all its reasons
  std::vector<std::string> only_clear;  // the rules that found nothing anywhere
  std::vector<Note> doubts;             // what a reader would suspect, and why it costs nothing
  std::vector<ReasonText> not_judged;
};

struct DeviceText {
  std::uint32_t device = 0;
  std::string line;  // all in one: "GPU 1: SM clock 1755 MHz, 642 W"
  std::vector<std::string> sentences;
  Tone tone = Tone::neutral;  // caution: a reader should act on it
  double clock_mhz = 0;
};

struct Report {
  StepScale scale;           // refers to the summary
  std::vector<Note> alerts;  // before any number
  std::vector<std::string> ran,
      where;  // first the command, or the recording where that is not known
  VerdictLabel label;
  std::vector<std::string> step_time;
  std::string step_time_sentence;
  std::vector<Note> verdict;
  Tables tables;
  std::optional<FindingsText> findings;  // nothing where nothing could be judged
  std::vector<DeviceText> devices;
  std::vector<std::string> long_steps;
  std::vector<Note> steps;
  std::vector<TrustFact> facts;
  std::vector<Note> trust;

  // A page's title is what ran; the rest of it stands below.
  std::string title() const { return ran.empty() ? "" : ran.front(); }
  std::vector<std::string> ran_under_title() const;
};

// Refers to the summary, which must outlive it.
Report report_of(const Summary& summary, KernelGrouping by = KernelGrouping::none);
// Also where nothing could be judged; nothing where the summary holds no findings.
std::optional<FindingsText> findings_text(const StepScale& scale);
FindingText finding_text(const Finding& finding, const StepScale& scale);

}  // namespace stepscope::report

// SPDX-License-Identifier: Apache-2.0
#include "core/report/notes.hpp"

#include "core/report/wording/trust.hpp"
#include "core/report/wording/verdict.hpp"

namespace stepscope::report {
namespace {

constexpr std::size_t kStepNotesOfScreen = 2;
constexpr std::size_t kTrustNotesOfScreen = 5;

// A sentence that says nothing is no note.
void add_note(std::vector<Note>& out, std::string text, Tone tone = Tone::neutral,
              std::string label = "") {
  if (!text.empty()) out.push_back({std::move(text), tone, std::move(label), {}, {}});
}

void add_notes(std::vector<Note>& out, const std::vector<std::string>& texts, std::size_t most) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    add_note(out, texts[i]);
    if (i >= most) out.back().weight = Weight::minor;
  }
}

std::string parts_of_steps_text(const Summary& summary) {
  if (!summary.steps.may_be_parts) return "";
  return "a step is what repeats here, and may be a part of one: see Steps";
}

}  // namespace

std::string Note::with_items() const {
  std::string out = text;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? ": " : ", ") + items[i].id;
  return out;
}

// Returns the alerts. Where nothing was recorded, unexplained time gives none.
std::vector<Note> alerts(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::vector<Note> out;
  for (const std::string& text : trust.broken_invariants) add_note(out, text, Tone::bad, "Broken");
  if (!out.empty())
    add_note(out, "The numbers below contradict each other: please report this trace.", Tone::bad);
  add_note(out, trust.nothing_recorded, Tone::caution, "Nothing recorded");
  if (!trust.nothing_recorded.empty()) return out;
  for (const std::string& text : trust.over_budget)
    add_note(out, text, Tone::caution, "Unexplained");
  return out;
}

std::vector<Note> verdict_notes(const StepScale& scale) {
  const Summary& summary = scale.summary;
  std::vector<Note> out;
  for (const std::string& text :
       {ending_text(summary), busy_machine_text(scale), trimmed_text(scale), long_share_text(scale),
        parts_of_steps_text(summary)})
    add_note(out, text, Tone::caution);
  add_note(out, summary.partition.why_bound);
  add_note(out, rank_alone_text(scale));
  if (summary.throughput) add_note(out, throughput_text(scale));
  add_note(out, summary.counting, Tone::caution);
  return out;
}

std::vector<Note> step_notes(const StepScale& scale) {
  std::vector<Note> out;
  add_note(out, steps_text(scale));
  if (const std::string text = warm_up_text(scale); !text.empty())
    add_note(out, "warm-up: " + text);
  add_note(out, compilation_text(scale));
  add_notes(out, scale.summary.steps.notes, kStepNotesOfScreen);
  return out;
}

std::vector<Note> trust_notes(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::vector<Note> out;
  add_note(out, without_line_text(scale));
  if (trust.recorder) add_note(out, recorder_text(*trust.recorder));
  for (const std::string& rival : trust.rivals)
    add_note(out, "another tracer was active: " + rival, Tone::caution);
  if (!trust.abstained.empty()) {
    add_note(out, "not recorded, so never blamed");
    out.back().items = trust.abstained;
  }
  add_notes(out, trust.notes, kTrustNotesOfScreen);
  return out;
}

}  // namespace stepscope::report

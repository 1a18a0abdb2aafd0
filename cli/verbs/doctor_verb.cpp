// SPDX-License-Identifier: Apache-2.0
// stepscope doctor: what can be collected here, and why not.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/verbs/verbs.hpp"
#include "collectors/doctor/checks.hpp"
#include "collectors/doctor/question.hpp"
#ifdef STEPSCOPE_HAS_VIEWER
#include "cli/verbs/viewer_module.hpp"
#endif

namespace stepscope {
namespace {

using doctor::State;

const char* word_of(State state) {
  switch (state) {
    case State::good:
      return "ok";
    case State::limited:
      return "limited";
    case State::missing:
      return "missing";
    case State::absent:
      break;
  }
  return "-";
}

Colour colour_of(State state) {
  if (state == State::good) return Colour::green;
  return state == State::missing ? Colour::red : Colour::yellow;
}

void print(const doctor::Check& check, const Style& style) {
  const std::string word = fmt::format("{:8}", word_of(check.state));
  const bool plain = check.state == State::absent;
  fmt::print("{} {:12} {}\n", plain ? word : style.paint(colour_of(check.state), word), check.name,
             check.finding);
  if (!check.remedy.empty()) fmt::print("{:21} -> {}\n", "", check.remedy);
  std::fflush(stdout);
}

// Returns why the viewer cannot be used here; empty: it can. Its module loads libraries of the
// display.
std::string viewer_why_not(std::chrono::milliseconds patience) {
#ifdef STEPSCOPE_HAS_VIEWER
  const doctor::Answer answer = doctor::ask(
      [](const doctor::Say& say) {
        if (const Status ready = viewer_is_ready(); !ready) say("why", ready.error().message);
      },
      patience);
  return answer.failure.empty() ? answer.value_of("why") : "loading the viewer " + answer.failure;
#else
  (void)patience;
  return "this stepscope was built without its viewer";
#endif
}

// A window needs a display too, which is known only where it is asked for one; pictures need none.
doctor::Check timeline(std::chrono::milliseconds patience) {
  const std::string why = viewer_why_not(patience);
  if (why.empty()) return {"timeline", State::good, "stepscope view shows it", ""};
  return {"timeline", State::missing, why,
          "the wheel and the .deb bring the viewer; else: report RUN --format html, or export RUN "
          "--to perfetto"};
}

int examine_machine(const std::string& folder, double patience_seconds) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    const bool there = std::filesystem::exists(folder, error);
    return fail("doctor", "",
                io_error(folder + (there ? " is no folder" : " does not exist") +
                         "; name one in which recordings will be written"));
  }
  const Style style = style_for(stdout_is_terminal());
  doctor::Facts facts;
  facts.folder = folder;
  facts.patience = std::chrono::milliseconds(std::llround(patience_seconds * 1000));
  for (const doctor::Topic& topic : doctor::topics()) {
    topic.ask(facts);
    if (const auto check = topic.judge(facts)) print(*check, style);
  }
  print(timeline(facts.patience), style);
  return kExitPass;
}

}  // namespace

void add_doctor_verb(CLI::App& app, int& status) {
  CLI::App* verb = app.add_subcommand("doctor", "Say what can be collected here, and why not");
  auto folder = std::make_shared<std::string>(".");
  verb->add_option("folder", *folder, "Where traces would be written")->capture_default_str();
  auto patience = std::make_shared<double>(20);
  verb->add_option("--patience", *patience,
                   "How long to wait for the answer of a library or of Python, in seconds")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  verb->footer(
      "Looks at the driver, CUPTI, other tools, Python and PyTorch, permissions and disk; starts "
      "nothing on\nthe device. A library that crashes or hangs costs its own line. Each line that "
      "is not ok says what\nto do.\nExit codes: 0, whatever is missing; 4 where the folder cannot "
      "be used.");
  verb->callback([folder, patience, &status] { status = examine_machine(*folder, *patience); });
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// stepscope doctor: what can be collected here, and why not.
#include <fmt/format.h>

#include <filesystem>

#include "cli/output/failure.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "collectors/doctor/checks.hpp"
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
}

// A window needs a display too, which is known only where it is asked for one; pictures need none.
doctor::Check timeline() {
#ifdef STEPSCOPE_HAS_VIEWER
  const Status ready = viewer_is_ready();
  if (ready.ok()) return {"timeline", State::good, "stepscope view shows it", ""};
  const std::string why = ready.error().message;
#else
  const std::string why = "this stepscope was built without its viewer";
#endif
  return {"timeline", State::missing, why,
          "the wheel and the .deb bring the viewer; else: report RUN --format html, or export RUN "
          "--to perfetto"};
}

int examine_machine(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    const bool there = std::filesystem::exists(folder, error);
    return fail("doctor", "",
                io_error(folder + (there ? " is no folder" : " does not exist") +
                         "; name one in which recordings will be written"));
  }
  const Style style = style_for(stdout_is_terminal());
  for (const doctor::Check& check : doctor::examine(doctor::gather_facts(folder)))
    print(check, style);
  print(timeline(), style);
  return kExitPass;
}

}  // namespace

void add_doctor_verb(CLI::App& app, int& status) {
  CLI::App* verb = app.add_subcommand("doctor", "Say what can be collected here, and why not");
  auto folder = std::make_shared<std::string>(".");
  verb->add_option("folder", *folder, "Where traces would be written")->capture_default_str();
  verb->footer(
      "Looks at the driver, CUPTI, other tools, Python and PyTorch, permissions and disk; starts "
      "nothing on "
      "the device.\nEach line that is not ok says what to do.");
  verb->callback([folder, &status] { status = examine_machine(*folder); });
}

}  // namespace stepscope

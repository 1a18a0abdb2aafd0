// SPDX-License-Identifier: Apache-2.0
// stepscope doctor: what can be collected here, and why not.
#include <fmt/format.h>

#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "collectors/doctor/checks.hpp"

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

}  // namespace

void add_doctor_verb(CLI::App& app, int& /*status*/) {
  CLI::App* verb = app.add_subcommand("doctor", "Say what can be collected here, and why not");
  auto folder = std::make_shared<std::string>(".");
  verb->add_option("folder", *folder, "Where traces would be written")->capture_default_str();
  verb->footer(
      "Looks at the driver, CUPTI, other tools, Python and PyTorch, permissions and disk; starts "
      "nothing on "
      "the device.\nEach line that is not ok says what to do.");
  verb->callback([folder] {
    const Style style = style_for(stdout_is_terminal());
    for (const doctor::Check& check : doctor::examine(doctor::gather_facts(*folder)))
      print(check, style);
  });
}

}  // namespace stepscope

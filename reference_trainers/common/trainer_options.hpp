// SPDX-License-Identifier: Apache-2.0
// Options that every trainer has, and how a command line is read: one message for a mistake, which
// names the option and the program's --help.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/switches.hpp"

namespace stepscope::trainers {

// CLI11's own ranges let NaN through, and print their bounds in full.
CLI::Validator above_zero();
CLI::Validator not_negative();

// --device and --threads.
void add_device_options(CLI::App& app, DeviceWish& device, int& threads);
void add_rank_timeout(CLI::App& app, int& seconds);
// --steps, --warm-up and --log-every.
void add_steps(CLI::App& app, std::int64_t& steps, std::int64_t& warm_up, std::int64_t& log_every);

// --with and --without, on top of what else chooses switches.
struct NamedSwitches {
  std::vector<std::string> with, without;
};
void add_named_switches(CLI::App& app, NamedSwitches& named);

// Those of --with on, those of --without off.
template <class Set>
Status turn_named(const Switches<Set>& switches, Set& set, const NamedSwitches& named) {
  if (const Status on = switches.turn(set, named.with, true); !on)
    return usage_error("--with: " + on.error().message);
  if (const Status off = switches.turn(set, named.without, false); !off)
    return usage_error("--without: " + off.error().message);
  return Done{};
}

// The help of an option that takes a rung.
template <class Set>
std::string ladder_help(const Switches<Set>& switches) {
  std::string on = "Every rung up to this one:", beside;
  for (const Switch<Set>& one : switches.all()) {
    const std::string text = std::string(one.name) + ": " + one.summary;
    if (*one.id != '\0')
      on += "\n" + std::string(one.id) + " " + text;
    else
      beside += "\nBeside the ladder, for --with: " + text;
  }
  return on + beside;
}

// --preset, whose help lists them all.
struct PresetName {
  std::string name, summary;
};
void add_presets(CLI::App& app, std::string& preset, const std::vector<PresetName>& all);

// --variant baseline|optimized, or --rung, and names on top, whatever the order of the words.
struct SwitchChoice {
  std::string variant, rung;
  NamedSwitches named;
};
void add_switch_choice(CLI::App& app, const std::string& rungs_help, SwitchChoice& choice);
template <class Set>
void add_switch_choice(CLI::App& app, const Switches<Set>& switches, SwitchChoice& choice) {
  add_switch_choice(app, ladder_help(switches), choice);
}
template <class Set>
Result<Set> chosen_switches(const Switches<Set>& switches, const Set& optimized,
                            const SwitchChoice& choice) {
  Set set = choice.variant == "optimized" ? optimized : Set{};
  if (!choice.rung.empty()) {
    const Result<Set> ladder = switches.up_to(choice.rung);
    if (!ladder) return usage_error("--rung: " + ladder.error().message);
    set = *ladder;
  }
  if (const Status turned = turn_named(switches, set, choice.named); !turned) return turned.error();
  return set;
}

// A preset gives the defaults that other options change, so it is looked for before they are read.
std::string preset_in(std::span<const char* const> arguments, const char* otherwise);

// The text of --help where that was asked for.
Result<std::optional<std::string>> parse_words(CLI::App& app,
                                               std::span<const char* const> arguments);

}  // namespace stepscope::trainers

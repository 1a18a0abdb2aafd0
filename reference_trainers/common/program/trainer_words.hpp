// SPDX-License-Identifier: Apache-2.0
// Reads the command line of a trainer whose optimisations are switches: a preset, switches, the
// trainer's own options, and --list-switches, which `stepscope ladder` asks.
//
// Config has the members `preset` and `fixes`; Preset has `name` and `summary`.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/list_switches.hpp"
#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::trainers {

template <class Config>
struct Request {
  Config config;
  std::optional<std::string> print;  // --help or --list-switches was given: print this and stop
};

template <class Config, class Preset, class Fixes>
struct TrainerWords {
  const char* model;  // its program is train_MODEL
  const char* about;
  const char* footer;
  std::span<const Preset> presets;  // the first one is the default
  const Switches<Fixes>& switches;
  Fixes optimized;
  void (*use_preset)(Config&, const Preset&);
  std::function<void(CLI::App&, Config&)> add_options;
  Status (*check)(const Config&);
};

template <class Preset>
std::vector<PresetName> names_of(std::span<const Preset> presets) {
  std::vector<PresetName> out;
  for (const Preset& preset : presets) out.push_back({preset.name, preset.summary});
  return out;
}

// Takes the arguments without the program's name. An Error is a usage error.
template <class Config, class Preset, class Fixes>
Result<Request<Config>> parse_request(const TrainerWords<Config, Preset, Fixes>& words,
                                      std::span<const char* const> arguments) {
  Request<Config> request;
  Config& config = request.config;
  const std::string wished = preset_in(arguments, words.presets.front().name);
  for (const Preset& preset : words.presets)
    if (wished == preset.name) words.use_preset(config, preset);
  CLI::App app(words.about, std::string("train_") + words.model);
  app.option_defaults()->always_capture_default();
  const std::vector<PresetName> presets = names_of(words.presets);
  add_presets(app, config.preset, presets);
  SwitchChoice chosen;
  add_switch_choice(app, words.switches, chosen);
  words.add_options(app, config);
  bool lists = false;
  add_list_switches(app, lists);
  app.footer(words.footer);
  const auto help = parse_words(app, arguments);
  if (!help) return help.error();
  request.print = *help;
  if (request.print) return request;
  const Result<Fixes> fixes = chosen_switches(words.switches, words.optimized, chosen);
  if (!fixes) return fixes.error();
  config.fixes = *fixes;
  if (const Status good = words.check(config); !good) return good.error();
  if (lists) request.print = switches_json(words.model, listed(words.switches), presets) + "\n";
  return request;
}

}  // namespace stepscope::trainers

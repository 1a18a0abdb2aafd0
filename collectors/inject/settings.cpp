// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/settings.hpp"

#include <regex.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace stepscope::inject {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

std::uint32_t number(const char* variable, std::uint32_t otherwise, std::uint32_t low,
                     std::uint32_t high) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return otherwise;
  const long parsed = std::strtol(value, nullptr, 10);
  return static_cast<std::uint32_t>(std::clamp<long>(parsed, low, high));
}

Level level_of(const char* text) {
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "light") return Level::light;
  return name == "deep" ? Level::deep : Level::standard;
}

cupti::Bare bare_of(const char* text) {
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "records" || name == "1") return cupti::Bare::records;
  if (name == "subscription") return cupti::Bare::subscription;
  return name == "switched_off" ? cupti::Bare::switched_off : cupti::Bare::no;
}

// "100" is steps, "1500ms" time.
void read_amount(const char* variable, std::uint64_t& steps, std::uint64_t& ms) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  char* unit = nullptr;
  const std::uint64_t amount = std::strtoull(text, &unit, 10);
  (std::string_view(unit) == "ms" ? ms : steps) = amount;
}

void read_window(recorder::CapturePlan& plan) {
  const char* text = std::getenv("STEPSCOPE_WINDOW");
  unsigned on = 0, off = 0;
  if (text == nullptr || std::sscanf(text, "%u/%u", &on, &off) != 2 || on == 0 || off == 0) return;
  plan.window_on = on;
  plan.window_off = off;
}

void read_capture(Settings& settings) {
  recorder::CapturePlan& plan = settings.capture;
  read_amount("STEPSCOPE_START_AFTER", plan.after_steps, plan.after_ms);
  read_amount("STEPSCOPE_STEPS", plan.take_steps, plan.take_ms);
  read_window(plan);
  const char* range = std::getenv("STEPSCOPE_CAPTURE_RANGE");
  settings.profiler_control = range != nullptr && std::string_view(range) == "cudaProfilerApi";
  if (!settings.profiler_control) settings.capture_range = range;
  settings.capture_signal = static_cast<int>(number("STEPSCOPE_CAPTURE_SIGNAL", 0, 0, 64));
  plan.by_trigger = range != nullptr || settings.capture_signal != 0;
}

std::string_view basename_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_interpreter(std::string_view name) {
  constexpr std::string_view kNames[] = {"python", "bash", "sh",   "dash", "zsh",
                                         "perl",   "ruby", "node", "julia"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view known) {
    return name.starts_with(known) &&
           name.find_first_not_of("0123456789.", known.size()) == std::string_view::npos;
  });
}

// Python options that take their value as the next word.
bool takes_value(std::string_view option) {
  return option == "-W" || option == "-X";
}

// The text behind Python's -c. Processes that multiprocessing starts are called after the module
// that the text imports from: "multiprocessing.spawn".
std::string_view source_of(std::string_view text) {
  constexpr std::string_view kImport = "from multiprocessing.";
  if (!text.starts_with(kImport)) return "-c";
  text.remove_prefix(std::string_view("from ").size());
  return text.substr(0, text.find(' '));
}

std::string_view script_of(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-m" && i + 1 < argc) return argv[i + 1];
    if (word == "-c") return i + 1 < argc ? source_of(argv[i + 1]) : word;
    if (takes_value(word)) {
      ++i;
    } else if (!word.starts_with('-')) {
      return basename_of(word);
    }
  }
  return {};
}

}  // namespace

Settings settings_from_environment() noexcept {
  Settings settings;
  settings.output = std::getenv("STEPSCOPE_OUTPUT");
  settings.only = std::getenv("STEPSCOPE_ONLY");
  settings.lines_in = std::getenv("STEPSCOPE_LINES_IN");
  settings.level = level_of(std::getenv("STEPSCOPE_LEVEL"));
  settings.ops = is_set("STEPSCOPE_OPS") || settings.level == Level::deep;
  settings.native_lines = is_set("STEPSCOPE_NATIVE_LINES");
  settings.empty_callbacks = is_set("STEPSCOPE_EMPTY_CALLBACKS");
  settings.window_layers = is_set("STEPSCOPE_WINDOW_LAYERS");
  settings.bare_cupti = bare_of(std::getenv("STEPSCOPE_BARE_CUPTI"));
  const char* graphs = std::getenv("STEPSCOPE_GRAPHS");
  settings.graphs_whole = graphs != nullptr && std::string_view(graphs) == "whole";
  cupti::leave_out(settings.parts, std::getenv("STEPSCOPE_WITHOUT"));
  settings.ring_slots = std::bit_floor(number("STEPSCOPE_RING_KIB", 4096, 1, 1U << 20U) * 64U);
  settings.flush_ms = number("STEPSCOPE_FLUSH_MS", 100, 1, 10'000);
  settings.device_flush_ms = number("STEPSCOPE_DEVICE_FLUSH_MS", 500, 0, 60'000);
  read_capture(settings);
  settings.nvml_ms = number("STEPSCOPE_NVML_MS", 100, 0, 60'000);
  settings.sample_us = number("STEPSCOPE_SAMPLE_US", 2000, 0, 1'000'000);
  settings.pm_us = number("STEPSCOPE_PM_US", 0, 0, 1'000'000);
  return settings;
}

std::array<char, 256> name_of_program(int argc, const char* const* argv) noexcept {
  std::array<char, 256> name{};
  if (argc < 1 || argv[0] == nullptr) return name;
  std::string_view found = basename_of(argv[0]);
  if (is_interpreter(found)) {
    const std::string_view script = script_of(argc, argv);
    if (!script.empty()) found = script;
  }
  std::snprintf(name.data(), name.size(), "%.*s", static_cast<int>(found.size()), found.data());
  return name;
}

bool is_selected(const char* only, const char* name) noexcept {
  if (only == nullptr || *only == '\0') return true;
  regex_t expression;
  if (regcomp(&expression, only, REG_EXTENDED | REG_NOSUB) != 0) return true;
  const bool selected = regexec(&expression, name, 0, nullptr, 0) == 0;
  regfree(&expression);
  return selected;
}

}  // namespace stepscope::inject

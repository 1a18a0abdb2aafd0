// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/trainer_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

namespace stepscope::trainers {
namespace {

CLI::Validator finite(bool zero_too) {
  const auto problem = [zero_too](const std::string& text) -> std::string {
    double number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && std::isfinite(number) &&
                      (number > 0 || (zero_too && number == 0));
    return good ? "" : fmt::format("{} is not a finite number {}", text, zero_too ? ">= 0" : "> 0");
  };
  return {problem, zero_too ? "NONNEGATIVE" : "POSITIVE"};
}

}  // namespace

CLI::Validator above_zero() {
  return finite(false);
}
CLI::Validator not_negative() {
  return finite(true);
}

void add_device_options(CLI::App& app, DeviceWish& device, int& threads) {
  static const std::map<std::string, DeviceWish> kDevices{
      {"auto", DeviceWish::automatic}, {"cpu", DeviceWish::cpu}, {"cuda", DeviceWish::cuda}};
  app.add_option("--device", device, "auto: a GPU where one is usable, else the CPU")
      ->option_text("auto|cpu|cuda")
      ->transform(CLI::CheckedTransformer(kDevices));
  app.add_option(
         "--threads", threads,
         "CPU threads of LibTorch; 0: its own choice (fast on idle cores, far slower on busy ones)")
      ->check(CLI::Range(0, 1024));
}

void add_rank_timeout(CLI::App& app, int& seconds) {
  app.add_option("--rank-timeout", seconds,
                 "Seconds for a rank to come to a call that others have made; one that ends is "
                 "noticed at once")
      ->check(CLI::Range(1, 86400));
}

void add_steps(CLI::App& app, std::int64_t& steps, std::int64_t& warm_up, std::int64_t& log_every) {
  constexpr std::int64_t kMost = 1'000'000'000;
  app.add_option("--steps", steps, "Training steps")->check(CLI::Range(std::int64_t{1}, kMost));
  const CLI::Range count(std::int64_t{0}, kMost);
  app.add_option("--warm-up", warm_up, "First steps that the rate leaves out")->check(count);
  app.add_option("--log-every", log_every, "Steps between progress lines")->check(count);
}

void add_named_switches(CLI::App& app, NamedSwitches& named) {
  const auto names = [&app](const char* flag, std::vector<std::string>& value, const char* about) {
    app.add_option(flag, value, about)->type_name("NAMES")->delimiter(',')->default_str("");
  };
  names("--with", named.with, "And these (names, with commas)");
  names("--without", named.without, "But not these");
}

void add_presets(CLI::App& app, std::string& preset, const std::vector<PresetName>& all) {
  std::string text = "Sizes:";
  std::vector<std::string> names;
  for (const PresetName& one : all) {
    text += fmt::format("{} {} ({})", names.empty() ? "" : ";", one.name, one.summary);
    names.push_back(one.name);
  }
  app.add_option("--preset", preset, text + ".")->check(CLI::IsMember(names));
}

void add_switch_choice(CLI::App& app, const std::string& rungs_help, SwitchChoice& choice) {
  CLI::Option* variant =
      app.add_option("--variant", choice.variant, "baseline: no fix; optimized: the whole ladder")
          ->check(CLI::IsMember({"baseline", "optimized"}))
          ->type_name("NAME")
          ->default_str("baseline");
  app.add_option("--rung", choice.rung, rungs_help)->type_name("RUNG")->excludes(variant);
  add_named_switches(app, choice.named);
}

std::string preset_in(std::span<const char* const> arguments, const char* otherwise) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word.starts_with("--preset=")) return std::string(word.substr(9));
    if (word == "--preset" && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return otherwise;
}

Result<std::optional<std::string>> parse_words(CLI::App& app,
                                               std::span<const char* const> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 wants them so
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return std::optional<std::string>(app.help());
  } catch (const CLI::ParseError& error) {
    return usage_error(fmt::format("{} (see {} --help)", error.what(), app.get_name()));
  }
  return std::optional<std::string>();
}

}  // namespace stepscope::trainers

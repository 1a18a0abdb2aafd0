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

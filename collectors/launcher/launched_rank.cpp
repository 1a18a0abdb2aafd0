// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/launched_rank.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>

#include "collectors/recorder/launchers.hpp"

namespace stepscope::launcher {
namespace {

std::optional<std::int32_t> number_of(const Environment& environment, const char* variable) {
  const auto found = environment.find(variable);
  if (found == environment.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int32_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<LaunchedRank> launched_rank(const Environment& environment) {
  for (const recorder::LauncherVariables& launcher : recorder::kLaunchers) {
    const auto rank = number_of(environment, launcher.rank);
    const auto size = number_of(environment, launcher.size);
    if (rank && size) return *size > 1 ? std::optional(LaunchedRank{*rank, *size}) : std::nullopt;
  }
  return std::nullopt;
}

std::string name_of_rank(const std::string& name, std::int32_t rank, bool anew) {
  std::string job = name;
  while (job.size() > 1 && job.ends_with('/')) job.pop_back();
  if (job.ends_with(".scope")) job.resize(job.size() - 6);
  const std::string own = "/rank" + std::to_string(rank);
  std::error_code error;
  for (int number = 1; anew && number < 10'000; ++number) {
    const std::string folder = number == 1 ? job : job + "." + std::to_string(number);
    if (!std::filesystem::exists(folder + own + ".scope", error)) return folder + own;
  }
  return job + own;
}

}  // namespace stepscope::launcher

// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/core_limit.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

std::optional<double> cores_of(double quota, double period) {
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

// Returns the quota of one group, in either version's form.
std::optional<double> quota_of_group(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  double quota = 0, period = 0;
  if (in) return in >> quota >> period ? cores_of(quota, period) : std::nullopt;
  return cores_of(number_in(group / "cpu.cfs_quota_us").value_or(0),
                  number_in(group / "cpu.cfs_period_us").value_or(0));
}

// Returns the lowest quota of a group and of those above it, up to the hierarchy's root.
std::optional<double> lowest_quota(const fs::path& root, fs::path path) {
  std::optional<double> lowest;
  while (true) {
    const auto quota = quota_of_group(root / path);
    if (quota) lowest = std::min(*quota, lowest.value_or(*quota));
    if (path.empty()) return lowest;
    path = path.parent_path();
  }
}

bool has_controller(const std::string& list, const std::string& name) {
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ',');)
    if (one == name) return true;
  return false;
}

}  // namespace

// A line is "ID:CONTROLLERS:PATH"; version 2 names no controllers.
std::optional<double> core_quota(const std::string& groups, const std::string& mount) {
  std::istringstream in(groups);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    if (!controllers.empty() && !has_controller(controllers, "cpu")) continue;
    const fs::path root = controllers.empty() ? fs::path(mount) : fs::path(mount) / "cpu";
    if (const auto quota = lowest_quota(root, path)) return quota;
  }
  return std::nullopt;
}

unsigned usable_cores() {
  std::ifstream in("/proc/self/cgroup");
  std::ostringstream groups;
  groups << in.rdbuf();
  const unsigned allowed = std::max(1U, std::thread::hardware_concurrency());
  const auto quota = core_quota(groups.str(), "/sys/fs/cgroup");
  return quota ? std::clamp(static_cast<unsigned>(*quota), 1U, allowed) : allowed;
}

}  // namespace stepscope::launcher

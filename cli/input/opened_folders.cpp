// SPDX-License-Identifier: Apache-2.0
#include "cli/input/loaded_run.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

bool is_foreign_trace(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".sqlite");
}

// "rank12.scope": what a rank that a launcher started is recorded into.
bool is_scope_of_rank(std::string_view name) {
  if (!name.starts_with("rank") || !name.ends_with(".scope")) return false;
  const std::string_view digits = name.substr(4, name.size() - 10);
  return !digits.empty() &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Nothing for a folder that holds a run of stepscope's, or no trace. What a system hides is none.
std::vector<std::string> traces_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    if (name == "run.json" || name.ends_with(".sst")) return {};
    if (is_foreign_trace(name) || is_scope_of_rank(name)) out.push_back(at->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A rank may have a folder of its own (tensorboard_trace_handler with a path for each).
std::vector<std::string> traces_in_folders_of(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code no_folder;
    if (at->path().filename().string().starts_with('.') || !at->is_directory(no_folder)) continue;
    const std::vector<std::string> inside = traces_in(at->path());
    out.insert(out.end(), inside.begin(), inside.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "run.json", error) || folder.extension() == ".scope";
}

}  // namespace

std::vector<std::string> with_folders_opened(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    std::vector<std::string> inside;
    if (fs::is_directory(path, error)) inside = traces_in(path);
    if (fs::is_directory(path, error) && inside.empty() && !is_run(path))
      inside = traces_in_folders_of(path);
    if (inside.empty()) inside.push_back(path);
    out.insert(out.end(), inside.begin(), inside.end());
  }
  return out;
}

}  // namespace stepscope

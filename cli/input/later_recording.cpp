// SPDX-License-Identifier: Apache-2.0
#include "cli/input/later_recording.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/output/failure.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

bool began_later(const fs::path& recording, const fs::path& than) {
  std::error_code error, error_of_other;
  const auto time = fs::last_write_time(recording / "run.json", error);
  const auto other = fs::last_write_time(than / "run.json", error_of_other);
  return !error && !error_of_other && time > other;
}

}  // namespace

std::string later_recording(const std::string& path) {
  fs::path plain(path);
  if (!plain.has_filename()) plain = plain.parent_path();
  if (plain.extension() != ".scope") return "";
  std::string last;
  for (int number = 2;; ++number) {
    fs::path numbered = plain;
    numbered.replace_extension(std::to_string(number) + ".scope");
    std::error_code error;
    if (!fs::is_directory(numbered, error)) return last;
    if (began_later(numbered, plain)) last = numbered.string();
  }
}

void note_later_recordings(const std::string& verb, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::string later = later_recording(path);
    if (later.empty() || std::find(paths.begin(), paths.end(), later) != paths.end()) continue;
    say("stepscope {}: {} was recorded later than {}, whose name was taken then\n", verb, later,
        path);
  }
}

}  // namespace stepscope

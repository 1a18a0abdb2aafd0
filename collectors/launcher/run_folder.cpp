// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/run_file.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/store/reader/reader.hpp"
#include "core/symbols/native_lines.hpp"
#include "core/symbols/source_texts.hpp"

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFile = "run.json";

bool is_run_file(const fs::path& path) {
  std::ifstream file(path);
  const nlohmann::json run = nlohmann::json::parse(file, nullptr, false);
  if (!run.is_object()) return false;
  const auto schema = run.find("schema");
  return schema != run.end() && schema->is_string() &&
         schema->get_ref<const std::string&>().starts_with("stepscope.run/");
}

bool is_ours(const fs::directory_entry& entry) {
  std::error_code error;
  const bool file = entry.is_regular_file(error) && !entry.is_symlink(error);
  const fs::path name = entry.path().filename();
  return file && (name == kRunFile || name == kNativeLinesFile || name == kSourcesFile ||
                  name.extension() == ".sst" || name.extension() == kRankSummary);
}

Status failed(const std::string& from, const std::string& to, const std::error_code& error) {
  return io_error("cannot rename " + from + " to " + to + ": " + error.message());
}

}  // namespace

std::string why_it_stays(const std::string& folder) {
  std::error_code error;
  const fs::path path(folder);
  if (fs::is_symlink(path, error) || !fs::is_directory(path, error)) return "is no folder";
  if (fs::exists(path / "live", error)) return "is still being recorded into, or was cut off";
  if (!is_run_file(path / kRunFile)) return "is no recording of stepscope";
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (!is_ours(*at)) return "holds " + at->path().filename().string() + ", which is not ours";
  }
  return error ? "cannot be read: " + error.message() : "";
}

Status replace_run(const std::string& earlier, const std::string& made) {
  std::error_code error;
  const std::string aside = made + ".replaced";
  fs::rename(earlier, aside, error);
  if (error) return failed(earlier, aside, error);
  fs::rename(made, earlier, error);
  if (error) {
    std::error_code back;
    fs::rename(aside, earlier, back);
    return failed(made, earlier, error);
  }
  fs::remove_all(aside, error);
  return Done{};
}

std::string shown_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return path;
  const fs::path near = fs::path(path).lexically_relative(here);
  return near.empty() || *near.begin() == ".." ? path : near.string();
}

}  // namespace stepscope::launcher

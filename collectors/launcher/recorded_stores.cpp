// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/recorded_stores.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "collectors/launcher/message.hpp"
#include "core/model/losses.hpp"
#include "core/store/reader/reader.hpp"
#include "core/store/reader/recorded_lines.hpp"
#include "core/symbols/native_lines.hpp"
#include "core/symbols/source_texts.hpp"

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

using WantedFiles = std::map<std::string, WantedLines>;

// A store that holds nothing worth reporting is small: a larger one is not read for it.
std::optional<TraceData> read_small(const fs::path& store, std::uintmax_t most_bytes) {
  std::error_code error;
  if (fs::file_size(store, error) > most_bytes || error) return std::nullopt;
  Result<TraceData> data = read_sst(store);
  return data ? std::optional(std::move(data).value()) : std::nullopt;
}

bool holds_a_start_only(const fs::path& store, bool failed) {
  constexpr std::uintmax_t kMostBytes = 1U << 16U;
  const std::size_t least_samples = failed ? 10 : 1;
  const std::optional<TraceData> data = read_small(store, kMostBytes);
  return data && data->health.dropped_records == 0 && data->health.lost_chunks == 0 &&
         data->host_ranges.size() == 0 && data->device_ops.size() == 0 &&
         data->samples.size() < least_samples;
}

// Empty where something was recorded; else the store holds marks of steps at most.
std::string why_nothing_recorded_in(const fs::path& store) {
  constexpr std::uintmax_t kMostBytes = 1U << 20U;
  const std::optional<TraceData> data = read_small(store, kMostBytes);
  return data ? stepscope::why_nothing_recorded(data->health.notes) : "";
}

// A file that was changed behind the first event of a process is not what the process had loaded.
void add_lines_of(const RecordedLines& recorded, WantedFiles& files) {
  for (const auto& [file, lines] : recorded.lines) {
    WantedLines& wanted = files[file];
    wanted.lines.insert(lines.begin(), lines.end());
    wanted.loaded_ns = std::max(wanted.loaded_ns, recorded.first_ns);
  }
}

void add_native_lines_of(const fs::path& folder, std::int64_t started_ns, WantedFiles& files) {
  const Result<NativeLines> lines = read_native_lines(folder / kNativeLinesFile);
  if (!lines) return;
  for (const auto& [place, frames] : *lines) {
    for (const SourceFrame& frame : frames) {
      if (frame.file.empty()) continue;
      WantedLines& wanted = files[frame.file];
      wanted.lines.insert(frame.line);
      wanted.loaded_ns = started_ns;
    }
  }
}

}  // namespace

RecordedStores::RecordedStores(const std::string& folder) : folder_(folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().extension() == ".sst") names_.push_back(entry.path().filename().string());
  std::sort(names_.begin(), names_.end());
}

std::uintmax_t RecordedStores::bytes() const {
  std::uintmax_t sum = 0;
  for (const std::string& name : names_) {
    std::error_code error;
    const auto bytes = fs::file_size(fs::path(folder_) / name, error);
    sum += error ? 0 : bytes;
  }
  return sum;
}

bool RecordedStores::hold_starts_only(bool failed) const {
  return std::all_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return holds_a_start_only(fs::path(folder_) / name, failed);
  });
}

std::vector<std::string> RecordedStores::why_nothing_recorded() const {
  std::set<std::string> reasons;
  for (const std::string& name : names_)
    reasons.insert(why_nothing_recorded_in(fs::path(folder_) / name));
  if (reasons.contains("")) return {};
  return {reasons.begin(), reasons.end()};
}

void RecordedStores::keep_native_lines() const {
  const Result<TraceData> data = read_scope(folder_);
  if (!data || !has_native_sites(*data)) return;
  say("finding the source lines of the program");
  const Result<NativeLines> lines = find_native_lines(*data);
  const Status written = lines ? write_native_lines(fs::path(folder_) / kNativeLinesFile, *lines)
                               : Status(lines.error());
  if (!written.ok()) say("no source lines of compiled code: {}", written.error().message);
}

void RecordedStores::keep_source_text(std::int64_t started_ns) const {
  const fs::path folder(folder_);
  WantedFiles files;
  for (const std::string& name : names_) {
    const Result<RecordedLines> recorded = read_recorded_lines(folder / name);
    if (recorded) add_lines_of(*recorded, files);
  }
  add_native_lines_of(folder, started_ns, files);
  std::error_code error;
  const SourceTexts sources = capture_sources(files, fs::current_path(error));
  if (!sources.empty()) (void)write_sources(folder / kSourcesFile, sources);
}

}  // namespace stepscope::launcher

// SPDX-License-Identifier: Apache-2.0
#include "core/importers/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/support/words.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kSuffixes = {".scope", ".sst", ".json", ".json.gz",
                                                       ".sqlite"};
constexpr std::size_t kMostLooked = 10'000;  // entries of a folder
constexpr std::size_t kMostNamed = 5;

// Names in a folder that look like runs, in order.
std::vector<std::string> runs_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  std::size_t looked = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (++looked > kMostLooked) break;
    const std::string name = at->path().filename().string();
    const bool run = std::any_of(kSuffixes.begin(), kSuffixes.end(),
                                 [&](std::string_view suffix) { return name.ends_with(suffix); });
    if (run) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A name without what all runs end with, which makes no two names alike.
std::string_view stem(std::string_view name) {
  for (const std::string_view suffix : kSuffixes)
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  return name;
}

std::string nearest_run(const std::string& name, const std::vector<std::string>& runs) {
  for (const std::string_view suffix : kSuffixes) {
    std::string whole = name + std::string(suffix);
    if (std::binary_search(runs.begin(), runs.end(), whole)) return whole;
  }
  std::vector<std::string_view> alike;
  for (const std::string& run : runs)
    if (stem(name) == name || !nearest(stem(name), {stem(run)}).empty()) alike.push_back(run);
  return std::string(nearest(name, alike));
}

std::string runs_named(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i)
    out += (i == 0 ? "" : ", ") + names[i];
  const std::size_t more = names.size() - std::min(kMostNamed, names.size());
  return more == 0 ? out : out + fmt::format(" and {} more", more);
}

}  // namespace

std::string hint_for_missing(const fs::path& path) {
  fs::path folder = path.parent_path();
  const std::string near =
      nearest_run(path.filename().string(), runs_in(folder.empty() ? fs::path(".") : folder));
  return near.empty() ? "" : fmt::format("; did you mean {}?", (folder / near).string());
}

std::optional<Error> no_run_error(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error) || fs::exists(folder / "run.json", error)) return {};
  std::vector<std::string> runs = runs_in(folder);
  const bool stores = std::any_of(runs.begin(), runs.end(),
                                  [](const std::string& name) { return name.ends_with(".sst"); });
  if (stores) return {};
  const fs::directory_iterator readable(folder, error);
  if (error) return io_error("cannot read " + folder.string() + ": " + error.message());
  if (runs.empty())
    return bad_input(folder.string() +
                     " is not a run, and holds none: give the folder NAME.scope that 'stepscope "
                     "profile' wrote, or a trace file");
  return bad_input(fmt::format(
      "{} is not a run; it holds {}: give one of them, or by name those that are ranks of one job",
      folder.string(), runs_named(runs)));
}

}  // namespace stepscope

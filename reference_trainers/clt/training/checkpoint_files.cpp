// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/checkpoint_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <system_error>

namespace stepscope::clt {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// What is before ".rankRofW", and W.
struct PartName {
  std::string checkpoint, ranks;
};
PartName part_name(const std::string& path) {
  static const std::regex kPart(R"((.*)\.rank[0-9]+of([0-9]+))");
  std::smatch found;
  return std::regex_match(path, found, kPart) ? PartName{found[1], found[2]} : PartName{};
}

// Returns how many ranks wrote a part of it; empty: none did.
std::string ranks_of_parts(const fs::path& checkpoint) {
  std::error_code none;
  const fs::path folder = checkpoint.parent_path();
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const PartName part = part_name(entry.path().filename().string());
    if (!part.ranks.empty() && part.checkpoint == checkpoint.filename()) return part.ranks;
  }
  return {};
}

Error of_ranks(const std::string& given, const PartName& part) {
  return bad_input(fmt::format(
      "checkpoint {}: it was written by {} ranks, a file each: go on with --resume {} --nproc {} "
      "--parallel features",
      given, part.ranks, part.checkpoint, part.ranks));
}

}  // namespace

std::string part_path(const std::string& checkpoint, int rank, int ranks) {
  return ranks == 1 ? checkpoint : fmt::format("{}.rank{}of{}", checkpoint, rank, ranks);
}

Status check_found(const std::string& checkpoint, int ranks) {
  if (is_file(part_path(checkpoint, 0, ranks))) return Done{};
  if (const PartName part = part_name(checkpoint); is_file(checkpoint) && !part.ranks.empty())
    return of_ranks(checkpoint, part);
  if (is_file(checkpoint))
    return bad_input(fmt::format(
        "checkpoint {}: it was written by one process, or by ranks that share rows: go on with "
        "--nproc 1, or with --parallel data",
        checkpoint));
  if (const std::string parts = ranks_of_parts(checkpoint); !parts.empty())
    return of_ranks(checkpoint, {checkpoint, parts});
  std::error_code none;
  if (fs::is_directory(checkpoint, none))
    return bad_input(fmt::format(
        "--resume {}: it is a folder; give the file that --checkpoint wrote", checkpoint));
  return Done{};
}

}  // namespace stepscope::clt

// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <utility>

#include "cli/input/loaded_run.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "core/support/memory_limit.hpp"
#include "core/support/side_by_side.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using SummaryPair = std::pair<Result<Summary>, Result<Summary>>;

bool is_gzip(const fs::path& file) {
  char head[2] = {};
  std::ifstream(file, std::ios::binary).read(head, sizeof head);
  return head[0] == '\x1f' && head[1] == '\x8b';
}

// Measured of whole reports: 24 bytes a byte of Kineto's gzip, 86 a byte of an .sst file.
std::uint64_t bytes_to_read_file(const fs::path& file) {
  constexpr std::uint64_t kOfCompressed = 100, kOfPlain = 8;
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return 0;
  return size * (file.extension() == ".sst" || is_gzip(file) ? kOfCompressed : kOfPlain);
}

bool may_be_read_together(const std::string& a, const std::string& b) {
  return usable_cores() >= 2 && bytes_to_read(a) + bytes_to_read(b) <= memory_left_bytes() / 2;
}

SummaryPair read_together(const std::string& a, const std::string& b, const ReadOptions& options) {
  for (const std::string& path : {a, b}) recover_run(path);  // it may write, and speaks of it
  ProgressBar bar("reading " + a + " and " + b, stderr_is_terminal());
  SharedProgress shared(bar.callback());
  std::future<Result<Summary>> second = std::async(std::launch::async | std::launch::deferred, [&] {
    return load_summary(b, options, shared.part(1));
  });
  Result<Summary> first = load_summary(a, options, shared.part(0));
  return {std::move(first), second.get()};
}

}  // namespace

std::uint64_t bytes_to_read(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return bytes_to_read_file(path);
  std::uint64_t sum = 0;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sst") sum += bytes_to_read_file(at->path());
  return sum;
}

std::vector<Result<Summary>> load_summaries(std::span<const std::string> paths,
                                            const ReadOptions& options) {
  std::vector<Result<Summary>> out;
  while (out.size() < paths.size() && (out.empty() || out.back().ok())) {
    const std::size_t at = out.size();
    if (at + 1 < paths.size() && may_be_read_together(paths[at], paths[at + 1])) {
      SummaryPair two = read_together(paths[at], paths[at + 1], options);
      out.push_back(std::move(two.first));
      if (out.back().ok()) out.push_back(std::move(two.second));
    } else {
      out.push_back(load_summary(paths[at], options));
    }
  }
  return out;
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/compare/file_matching.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "core/compare/text_alignment.hpp"

namespace stepscope::compare_parts {
namespace {

constexpr double kLeastText = 0.3;  // in common, for files of other names to be one
constexpr double kLeastWork = 0.5;
constexpr double kPart = 0.75;  // weight of an equal part of the path, where equal contents weigh 1

// Returns how many parts of two paths are equal, counted from the file's name: 2 for "a/io/x.py"
// and "b/io/x.py".
std::size_t common_parts(const std::string& x, const std::string& y) {
  std::size_t parts = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const char c = x[x.size() - 1 - i];
    if (c != y[y.size() - 1 - i]) return parts;
    if (c == '/') ++parts;
  }
  const bool whole =
      x.size() == y.size() ||
      (x.size() > y.size() ? x[x.size() - y.size() - 1] == '/' : y[y.size() - x.size() - 1] == '/');
  return whole ? parts + 1 : parts;
}

// Returns by function and kind of work the share of the file's time.
WorkShares shares_of_functions(const FileWork& file) {
  WorkShares out;
  double sum = 0;
  for (const LineWork& line : file.lines) {
    sum += line.size;
    for (const auto& [key, share] : line.shares)
      out[{line.function + '\n' + key.first, key.second}] += share * line.size;
  }
  for (auto& [key, share] : out) share /= std::max(sum, 1.0);
  return out;
}

struct Likeness {
  std::size_t parts = 0;  // path components in common
  double in_common = 0;
  bool is_enough = false;
  friend bool operator<(const Likeness& x, const Likeness& y) {
    return std::tuple(x.is_enough, x.score()) < std::tuple(y.is_enough, y.score());
  }
  double score() const { return in_common + kPart * static_cast<double>(parts); }
};

Likeness likeness_of(const std::string& a_path, const FileWork& a, const std::string& b_path,
                     const FileWork& b) {
  Likeness out;
  out.parts = common_parts(a_path, b_path);
  const bool texts = a.source != nullptr && b.source != nullptr;
  out.in_common = texts ? text_in_common(a.source->hashes, b.source->hashes)
                        : work_in_common(shares_of_functions(a), shares_of_functions(b));
  out.is_enough = out.parts > 0 || out.in_common >= (texts ? kLeastText : kLeastWork);
  return out;
}

// The one file of `others` that is most like this; nothing where two are equally like it.
std::optional<std::string> most_like(const std::string& path, const FileWork& file,
                                     const FileWorks& others) {
  std::optional<std::string> found;
  Likeness most;
  for (const auto& [other_path, other] : others) {
    const Likeness here = likeness_of(path, file, other_path, other);
    if (!here.is_enough || here < most) continue;
    found = most < here ? std::optional(other_path) : std::nullopt;
    most = here;
  }
  return found;
}

FileWorks without(const FileWorks& files, const FileWorks& other) {
  FileWorks out;
  for (const auto& [path, file] : files)
    if (!other.contains(path)) out.emplace(path, file);
  return out;
}

}  // namespace

std::map<std::string, std::string> match_files(const FileWorks& a, const FileWorks& b) {
  std::map<std::string, std::string> out;
  for (const auto& [path, file] : a)
    if (b.contains(path)) out[path] = path;
  FileWorks a_left = without(a, b), b_left = without(b, a);
  for (bool found = true; found;) {
    found = false;
    for (auto at = a_left.begin(); at != a_left.end();) {
      const auto other = most_like(at->first, at->second, b_left);
      const bool both = other && most_like(*other, b_left.at(*other), a_left) == at->first;
      if (both) {
        out[at->first] = *other;
        b_left.erase(*other);
        at = a_left.erase(at);
        found = true;
      } else {
        ++at;
      }
    }
  }
  return out;
}

}  // namespace stepscope::compare_parts

// SPDX-License-Identifier: Apache-2.0
#include "core/compare/line_matching.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace stepscope::compare_parts {
namespace {

constexpr double kUnedited = 0.9;  // of the time in common of the best pairing

using WorkKey = std::tuple<std::string, Cause, std::string, Direction>;

struct LineWork {
  std::uint32_t line = 0;
  std::string function;
  std::map<WorkKey, std::int64_t> ns;
};

using FileLines = std::map<std::string, std::vector<LineWork>>;  // lines in order
using Pairing = std::vector<std::pair<std::size_t, std::size_t>>;

FileLines lines_by_file(const std::vector<WorkItem>& items) {
  std::map<Line, LineWork> by_line;
  for (const WorkItem& item : items) {
    if (item.file.empty()) continue;
    LineWork& line = by_line[{item.file, item.line}];
    line.line = item.line;
    if (line.ns.empty() || item.function < line.function) line.function = item.function;
    line.ns[{item.phase, item.cause, item.operation, item.direction}] += item.ns;
  }
  FileLines out;
  for (auto& [key, line] : by_line) out[key.first].push_back(std::move(line));
  return out;
}

std::int64_t in_common(const LineWork& a, const LineWork& b) {
  std::int64_t sum = a.line == b.line ? 1 : 0;
  for (const auto& [key, ns] : a.ns) {
    const auto other = b.ns.find(key);
    if (other != b.ns.end()) sum += std::min(ns, other->second);
  }
  return sum;
}

// Order-preserving pairing of the greatest time in common (dynamic programming; places into a and
// b).
Pairing align(const std::vector<const LineWork*>& a, const std::vector<const LineWork*>& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::int64_t> best((a.size() + 1) * width, 0);
  std::vector<std::int64_t> common(a.size() * b.size(), 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      const std::int64_t here = in_common(*a[i], *b[j]);
      common[i * b.size() + j] = here;
      const std::int64_t skip = std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
      const std::int64_t take = here > 0 ? here + best[(i + 1) * width + j + 1] : 0;
      best[i * width + j] = std::max(skip, take);
    }
  }
  Pairing out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t here = common[i * b.size() + j];
    if (here > 0 && best[i * width + j] == here + best[(i + 1) * width + j + 1]) {
      out.emplace_back(i++, j++);
    } else if (best[i * width + j] == best[(i + 1) * width + j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

// Where exactly one line is left over on each side between two pairs, it is the same statement,
// changed.
Pairing with_single_gaps(const Pairing& pairs, std::size_t a_size, std::size_t b_size) {
  Pairing out;
  std::size_t a = 0;
  std::size_t b = 0;
  const auto close_gap = [&](std::size_t a_end, std::size_t b_end) {
    if (!pairs.empty() && a_end - a == 1 && b_end - b == 1) out.emplace_back(a, b);
  };
  for (const auto& pair : pairs) {
    close_gap(pair.first, pair.second);
    out.push_back(pair);
    a = pair.first + 1;
    b = pair.second + 1;
  }
  close_gap(a_size, b_size);
  return out;
}

// How many parts of two paths are equal, counted from the file's name: 2 of "a/io/x.py" and
// "b/io/x.py".
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

// The one file with the longest end of its path in common; nothing where several have it. Those
// that the other side has under the same path are taken.
std::optional<std::string> nearest_file(const std::string& path, const FileLines& files,
                                        const FileLines& taken) {
  std::optional<std::string> found;
  std::size_t most = 0;
  for (const auto& [other, lines] : files) {
    if (taken.contains(other)) continue;
    const std::size_t parts = common_parts(path, other);
    if (parts < most || parts == 0) continue;
    found = parts > most ? std::optional(other) : std::nullopt;
    most = parts;
  }
  return found;
}

// The file of `theirs` that is `path` of `ours`; nothing where there is none.
std::optional<std::string> counterpart(const std::string& path, const FileLines& ours,
                                       const FileLines& theirs) {
  if (theirs.contains(path)) return path;
  const auto other = nearest_file(path, theirs, ours);
  return other && nearest_file(*other, ours, theirs) == path ? other : std::nullopt;
}

class FilePairing {
 public:
  FilePairing(const std::vector<LineWork>& a, const std::vector<LineWork>& b)
      : a_(a), b_(b), a_pair_(a.size()), b_taken_(b.size(), false) {
    std::map<std::string, bool> functions;
    for (const LineWork& line : a) functions[line.function] = true;
    for (const auto& [function, yes] : functions) pair_up(&function);
    pair_up(nullptr);
    keep_numbers_of_an_unedited_file();
  }
  std::optional<std::size_t> partner_of_a(std::size_t i) const { return a_pair_[i]; }
  bool is_taken(std::size_t j) const { return b_taken_[j]; }

 private:
  // Where the lines of equal numbers have nearly as much in common, nobody edited the file: a
  // branch that the other side did not take is no line that moved.
  void keep_numbers_of_an_unedited_file() {
    Pairing equal;
    std::int64_t in_equal = 0;
    std::int64_t in_paired = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_pair_[i]) in_paired += in_common(a_[i], b_[*a_pair_[i]]);
      const auto j = std::find_if(b_.begin(), b_.end(), [&](const LineWork& line) {
        return line.line == a_[i].line && line.function == a_[i].function;
      });
      if (j == b_.end()) continue;
      equal.emplace_back(i, static_cast<std::size_t>(j - b_.begin()));
      in_equal += in_common(a_[i], *j);
    }
    if (equal.empty() || static_cast<double>(in_equal) < kUnedited * static_cast<double>(in_paired))
      return;
    a_pair_.assign(a_.size(), std::nullopt);
    b_taken_.assign(b_.size(), false);
    for (const auto& [i, j] : equal) {
      a_pair_[i] = j;
      b_taken_[j] = true;
    }
  }

  void pair_up(const std::string* function) {
    std::vector<std::size_t> a_places;
    std::vector<std::size_t> b_places;
    std::vector<const LineWork*> a_lines;
    std::vector<const LineWork*> b_lines;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_pair_[i] || (function && a_[i].function != *function)) continue;
      a_places.push_back(i);
      a_lines.push_back(&a_[i]);
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (b_taken_[j] || (function && b_[j].function != *function)) continue;
      b_places.push_back(j);
      b_lines.push_back(&b_[j]);
    }
    Pairing pairs = align(a_lines, b_lines);
    if (function) pairs = with_single_gaps(pairs, a_lines.size(), b_lines.size());
    for (const auto& [i, j] : pairs) {
      a_pair_[a_places[i]] = b_places[j];
      b_taken_[b_places[j]] = true;
    }
  }

  const std::vector<LineWork>& a_;
  const std::vector<LineWork>& b_;
  std::vector<std::optional<std::size_t>> a_pair_;
  std::vector<bool> b_taken_;
};

// Of several pairings that have the same time in common, one must be taken whichever side is A.
bool comes_first(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  const auto key = [](const WorkItem& i) {
    return std::tie(i.file, i.line, i.function, i.phase, i.cause, i.operation, i.direction, i.ns);
  };
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const WorkItem& x, const WorkItem& y) { return key(x) < key(y); });
}

}  // namespace

LineMatching::LineMatching(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  if (!comes_first(b, a)) {
    build(a, b);
    return;
  }
  build(b, a);
  std::swap(a_rows_, b_rows_);
  for (LinePair& pair : pairs_) std::swap(pair.a, pair.b);
}

void LineMatching::build(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  pairs_.push_back({});
  a_rows_[{"", 0}] = b_rows_[{"", 0}] = 0;
  const FileLines a_files = lines_by_file(a);
  const FileLines b_files = lines_by_file(b);
  const auto add = [&](const Line& of_a, const Line& of_b, const std::string& function) {
    if (of_a.second > 0 || !of_a.first.empty()) a_rows_[of_a] = pairs_.size();
    if (of_b.second > 0 || !of_b.first.empty()) b_rows_[of_b] = pairs_.size();
    pairs_.push_back({of_a, of_b, function});
  };
  std::map<std::string, bool> paired_b;
  for (const auto& [path, lines] : a_files) {
    const auto other = counterpart(path, a_files, b_files);
    static const std::vector<LineWork> kNoLines;
    const std::vector<LineWork>& b_lines = other ? b_files.at(*other) : kNoLines;
    if (other) paired_b[*other] = true;
    const FilePairing pairing(lines, b_lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto j = pairing.partner_of_a(i);
      add({path, lines[i].line}, j ? Line{*other, b_lines[*j].line} : Line{},
          j ? b_lines[*j].function : lines[i].function);
    }
    for (std::size_t j = 0; j < b_lines.size(); ++j)
      if (!pairing.is_taken(j)) add({}, {*other, b_lines[j].line}, b_lines[j].function);
  }
  for (const auto& [path, lines] : b_files) {
    if (paired_b.contains(path)) continue;
    for (const LineWork& line : lines) add({}, {path, line.line}, line.function);
  }
}

}  // namespace stepscope::compare_parts

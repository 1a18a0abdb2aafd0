// SPDX-License-Identifier: Apache-2.0
// The lines of one file on both sides, paired: line_matching.hpp says how. Internal to
// core/compare.
#include "core/compare/file_matching.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "core/compare/alignment.hpp"
#include "core/compare/text_alignment.hpp"

namespace stepscope::compare_parts {
namespace {

// Weights and limit for lines whose texts differ: how much of an edited line is the same.
constexpr double kWords = 0.6;
constexpr double kWork = 0.4;
constexpr double kLeastKept = 0.4;
// Weights and limits for lines without text. Less work in common is enough where the neighbours match.
constexpr double kLeastWorkInCommon = 0.5;
constexpr double kAround = 0.5;     // the neighbours before and behind are as far away
constexpr double kFunction = 0.5;   // both are in functions of one name
constexpr double kMovedWork = 0.8;  // in common, for a line that changed its order
constexpr double kSize = 0.1;       // both take as long

using Places = std::vector<std::size_t>;  // positions of lines in a FileWork

double size_in_common(const LineWork& a, const LineWork& b) {
  const auto [less, more] = std::minmax(a.size, b.size);
  return more > 0 ? less / more : 1;
}

class Pairer {
 public:
  Pairer(const FileWork& a, const FileWork& b) : a_(a), b_(b) {
    out_.of_a.assign(a.lines.size(), 0);
    out_.of_b.assign(b.lines.size(), 0);
  }

  FilePairing run() && {
    if (a_.source != nullptr && b_.source != nullptr) {
      pair_by_text();
    } else {
      pair_by_work();
    }
    return std::move(out_);
  }

 private:
  void take(std::size_t i, std::size_t j) {
    out_.of_a[i] = b_.lines[j].line;
    out_.of_b[j] = a_.lines[i].line;
  }

  static Places unpaired(const std::vector<std::uint32_t>& other) {
    Places out;
    for (std::size_t i = 0; i < other.size(); ++i)
      if (other[i] == 0) out.push_back(i);
    return out;
  }

  template <class Score>
  std::size_t pair_in_order(const Places& a, const Places& b, const Score& score) {
    const Pairing pairs =
        align(a.size(), b.size(), [&](std::size_t i, std::size_t j) { return score(a[i], b[j]); });
    for (const auto& [i, j] : pairs) take(a[i], b[j]);
    return pairs.size();
  }

  // --- both texts are known ---

  void pair_by_text() {
    const TextAlignment aligned = align_texts(a_.source->hashes, b_.source->hashes);
    take_numbers(a_.lines, aligned.with_moves, out_.of_a);
    const auto back = inverse(aligned.with_moves, b_.source->hashes.size());
    take_numbers(b_.lines, back, out_.of_b);
    pair_edited(aligned.in_order, inverse(aligned.in_order, b_.source->hashes.size()));
  }

  static std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& pairs,
                                            std::size_t size) {
    std::vector<std::uint32_t> out(size, TextAlignment::kNoLine);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i] != TextAlignment::kNoLine) out[pairs[i]] = static_cast<std::uint32_t>(i);
    return out;
  }

  // Lines are numbered from 1, places in a text from 0.
  static void take_numbers(const std::vector<LineWork>& lines,
                           const std::vector<std::uint32_t>& pairs,
                           std::vector<std::uint32_t>& out) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint32_t at = lines[i].line - 1;
      if (lines[i].line > 0 && at < pairs.size() && pairs[at] != TextAlignment::kNoLine)
        out[i] = pairs[at] + 1;
    }
  }

  // A gap is named by the last line of A before it that has its place in B, numbered from 1; 0
  // before the first.
  void pair_edited(const std::vector<std::uint32_t>& in_b, const std::vector<std::uint32_t>& in_a) {
    std::map<std::uint32_t, std::pair<Places, Places>> gaps;
    for (const std::size_t i : unpaired(out_.of_a))
      gaps[gap_of(a_.lines[i].line, in_b, nullptr)].first.push_back(i);
    for (const std::size_t j : unpaired(out_.of_b))
      gaps[gap_of(b_.lines[j].line, in_a, &in_a)].second.push_back(j);
    for (const auto& [gap, lines] : gaps)
      pair_in_order(lines.first, lines.second,
                    [&](std::size_t i, std::size_t j) { return kept(a_.lines[i], b_.lines[j]); });
  }

  static std::uint32_t gap_of(std::uint32_t line, const std::vector<std::uint32_t>& pairs,
                              const std::vector<std::uint32_t>* names) {
    std::size_t at = std::min<std::size_t>(line, pairs.size());
    while (at > 0 && pairs[at - 1] == TextAlignment::kNoLine) --at;
    if (at == 0) return 0;
    return names == nullptr ? static_cast<std::uint32_t>(at) : (*names)[at - 1] + 1;
  }

  static double kept(const LineWork& a, const LineWork& b) {
    const double kept =
        kWords * words_in_common(a.text, b.text) + kWork * work_in_common(a.shares, b.shares);
    return kept < kLeastKept ? 0 : kept + kSize * size_in_common(a, b);
  }

  // --- a text is not known ---

  void pair_by_work() {
    pair_in_order(unpaired(out_.of_a), unpaired(out_.of_b),
                  [&](std::size_t i, std::size_t j) { return likeness(i, j); });
    const auto moved = [&](std::size_t i, std::size_t j) {
      const LineWork &a = a_.lines[i], &b = b_.lines[j];
      const double work = work_in_common(a.shares, b.shares);
      return a.function == b.function && work >= kMovedWork ? work + kSize * size_in_common(a, b)
                                                            : 0;
    };
    while (pair_in_order(unpaired(out_.of_a), unpaired(out_.of_b), moved) > 0) {
    }
  }

  double likeness(std::size_t i, std::size_t j) const {
    const LineWork &a = a_.lines[i], &b = b_.lines[j];
    const double work = work_in_common(a.shares, b.shares);
    const double around = kAround * around_in_common(i, j);
    const bool one_function = a.function == b.function;
    if (work < kLeastWorkInCommon && !(one_function && around >= kAround)) return 0;
    return work + around + (one_function ? kFunction : 0) + kSize * size_in_common(a, b);
  }

  // Returns the share of the neighbours before and behind that are as far away on both sides. Where
  // both sides have no neighbour on one side, that side says nothing; where neither side has any,
  // the line's number decides.
  double around_in_common(std::size_t i, std::size_t j) const {
    const auto before = distance(i, j, i > 0, j > 0, -1);
    const auto behind = distance(i, j, i + 1 < a_.lines.size(), j + 1 < b_.lines.size(), 1);
    if (!before && !behind) return a_.lines[i].line == b_.lines[j].line ? 1 : 0;
    if (!before || !behind) return before.value_or(0) + behind.value_or(0);
    return (*before + *behind) / 2;
  }

  // 1: the neighbours are as far away; nothing where neither side has one.
  std::optional<double> distance(std::size_t i, std::size_t j, bool in_a, bool in_b,
                                 std::ptrdiff_t side) const {
    if (!in_a && !in_b) return std::nullopt;
    if (in_a != in_b) return 0;
    const auto gap = [side](const std::vector<LineWork>& lines, std::size_t at) {
      const LineWork& other = lines[at + static_cast<std::size_t>(side)];
      return std::int64_t{other.line} - std::int64_t{lines[at].line};
    };
    return gap(a_.lines, i) == gap(b_.lines, j) ? 1 : 0;
  }

  const FileWork& a_;
  const FileWork& b_;
  FilePairing out_;
};

}  // namespace

FilePairing pair_lines(const FileWork& a, const FileWork& b) {
  return Pairer(a, b).run();
}

}  // namespace stepscope::compare_parts

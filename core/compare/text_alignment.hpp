// SPDX-License-Identifier: Apache-2.0
// Which line of a file's text is which line of an edited one's.
//
// Lines of equal text pair in order, as in a diff: of all order-preserving pairings the one with
// the most text in common is taken, where a rare line counts more than a frequent one, and a line
// whose neighbours are equal, too, counts more than a single one. A text that is then left over
// once on each side has moved, and so have the equal lines that follow it and stand before it.
// Internal to core/compare.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope::compare_parts {

using LineHashes = std::vector<std::uint32_t>;  // core/model/source_text.hpp

struct TextAlignment {
  // By line of A from 0: its line in B from 0; kNoLine where it has none.
  static constexpr std::uint32_t kNoLine = ~std::uint32_t{0};
  std::vector<std::uint32_t> in_order;  // without those that moved
  std::vector<std::uint32_t> with_moves;
};

TextAlignment align_texts(const LineHashes& a, const LineHashes& b);

// Returns how much of two texts is the same: 1 where all lines are, wherever they stand.
double text_in_common(const LineHashes& a, const LineHashes& b);

}  // namespace stepscope::compare_parts

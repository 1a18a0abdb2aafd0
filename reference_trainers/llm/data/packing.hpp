// SPDX-License-Identifier: Apache-2.0
// Documents put together to rows of one length, so that few of them are cut: the longest document
// of a buffer that still fits comes next (best fit). Where none fits, the longest is cut and its
// rest goes back into the buffer. No token is lost but those of the last row, which is dropped
// where it is not full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope::llm {

// Tokens [begin, begin + count) of a shard, which begin a document or continue a cut one.
struct Piece {
  std::int64_t begin = 0, count = 0;
};

// Packed rows, one after the other: row i is pieces [rows[i], rows[i + 1]).
struct PackedRows {
  std::vector<Piece> pieces;
  std::vector<std::size_t> rows{0};
  std::int64_t cuts = 0;  // documents' cuts

  std::int64_t count() const { return static_cast<std::int64_t>(rows.size()) - 1; }
  std::span<const Piece> row(std::int64_t index) const {
    const auto i = static_cast<std::size_t>(index);
    return {pieces.data() + rows[i], rows[i + 1] - rows[i]};
  }
};

// `begins`: where documents of `size` tokens begin, ascending; what lies before the first is one,
// too. `buffer`: documents that are looked at together.
PackedRows pack_documents(const std::vector<std::int64_t>& begins, std::int64_t size,
                          std::int64_t length, std::size_t buffer = 1024);

}  // namespace stepscope::llm

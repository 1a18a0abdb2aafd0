// SPDX-License-Identifier: Apache-2.0
// A row as the aligned 16-byte pieces that hold it, whatever address it begins at. The first piece
// may begin with keys of the row before, the last may end behind the row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

constexpr std::uint32_t kPieceBytes = 16;

template <class T>
class RowPieces {
 public:
  static constexpr std::uint32_t kPerPiece = kPieceBytes / sizeof(T);

  RowPieces() = default;
  STEPSCOPE_HOST_DEVICE constexpr RowPieces(std::uintptr_t begin, std::uint32_t columns)
      : skipped_(static_cast<std::uint32_t>(begin % kPieceBytes / sizeof(T))),
        columns_(columns),
        pieces_(columns == 0 ? 0 : (skipped_ + columns - 1) / kPerPiece + 1) {}

  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t size() const { return pieces_; }
  // Those that end within the row: all, or all but the last.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t whole() const {
    return (skipped_ + columns_) / kPerPiece;
  }
  // Bytes from the first piece's begin to the row's.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t skipped_bytes() const {
    return skipped_ * static_cast<std::uint32_t>(sizeof(T));
  }
  // Returns the bytes of a piece up to the row's end, counted from the piece's begin; 0 behind the
  // last piece.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t bytes_to_end(std::uint32_t piece) const {
    if (piece + 1 < pieces_) return kPieceBytes;
    if (piece >= pieces_) return 0;
    return (skipped_ + columns_ - piece * kPerPiece) * static_cast<std::uint32_t>(sizeof(T));
  }
  // Returns a bit for each key of a piece: whether it is of the row.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t inside(std::uint32_t piece) const {
    const std::uint32_t to_end = bytes_to_end(piece) / static_cast<std::uint32_t>(sizeof(T));
    const std::uint32_t before = piece == 0 ? skipped_ : 0;
    return ((1U << to_end) - 1U) & ~((1U << before) - 1U);
  }
  // Whether a piece holds keys that are not of the row.
  STEPSCOPE_HOST_DEVICE constexpr bool is_edge(std::uint32_t piece) const {
    return piece >= whole() || (piece == 0 && skipped_ > 0);
  }
  // Returns the column of key i of a piece; at least columns() where the key is not of the row.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t column(std::uint32_t piece, std::uint32_t i) const {
    return piece * kPerPiece + i - skipped_;
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t columns() const { return columns_; }
  // Keys of the first piece that are not of the row.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t skipped() const { return skipped_; }

 private:
  std::uint32_t skipped_ = 0, columns_ = 0, pieces_ = 0;
};

}  // namespace stepscope::kernels

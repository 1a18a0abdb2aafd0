// SPDX-License-Identifier: Apache-2.0
// Memory that may change or vanish while it is read: every read is checked, none can fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::host_sampler {

using Address = std::uintptr_t;  // in the process that is read

class Memory {
 public:
  struct Piece {
    Address from;
    void* to;
    std::size_t size;
  };
  static constexpr std::size_t kMostPieces = 160;

  // All pieces (at most kMostPieces) or nothing that may be used.
  virtual bool read(std::span<const Piece> pieces) const noexcept = 0;

  bool read(Address from, void* to, std::size_t size) const noexcept {
    const Piece piece{from, to, size};
    return from != 0 && read(std::span(&piece, 1));
  }
  template <typename T>
  bool load(Address from, T& value) const noexcept {
    return read(from, &value, sizeof value);
  }

 protected:
  ~Memory() = default;
};

}  // namespace stepscope::host_sampler

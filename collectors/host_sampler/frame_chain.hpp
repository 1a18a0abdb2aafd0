// SPDX-License-Identifier: Apache-2.0
// The frames of a thread that may run while they are read.
//
// read() copies them one after the other, innermost first; is_still_so() copies them again, in one
// go. The chain is taken for true only where both show the same frames with the same code, and the
// callers at the same instruction: a caller stands still while what it called runs. The innermost
// frame's instruction may have moved within its code; either place is one where the thread was.
// A generator's frame loses its caller when it yields. If it is the outermost frame, then it was left while
// it was read, and the chain has failed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "collectors/host_sampler/memory.hpp"
#include "collectors/python_frames/layout.hpp"

namespace stepscope::host_sampler {

struct Frame {
  Address address = 0;
  Address code = 0;  // 0: a frame without code of its own
  Address instruction = 0;
  Address previous = 0;
  bool is_generator = false;
};

class FrameChain {
 public:
  static constexpr std::size_t kMostFrames = 64;
  static constexpr std::size_t kFrameBytes = 80;  // all fields of the layouts lie in these

  FrameChain(const Memory& memory, const python::Layout& layout) noexcept
      : memory_(memory), layout_(layout) {}

  // Places itself in front of the innermost frame. False: it cannot be read.
  bool start(Address thread) noexcept;
  // The next frame outwards; false: there is none. failed() distinguishes an end from a bad read.
  bool next(Frame& frame) noexcept;
  bool failed() const noexcept { return failed_; }
  std::span<const Frame> frames() const noexcept { return {frames_.data(), count_}; }

  // Reads all frames again, with `more` in the same call. False: something differs.
  bool is_still_so(std::span<const Memory::Piece> more) const noexcept;
  // Reads one of them again, which must be the same in all.
  bool is_still(const Frame& frame) const noexcept;

 private:
  static constexpr std::size_t kPage = 4096;

  bool copy(Address from, char* to) noexcept;
  Frame parse(Address address, const char* bytes) const noexcept;

  const Memory& memory_;
  const python::Layout& layout_;
  Address holder_ = 0;  // where the innermost frame's address stands
  Address innermost_ = 0;
  Address next_ = 0;
  Address page_ = 0;  // frames of a thread lie close together: a page holds many
  std::array<char, kPage> page_bytes_{};
  std::array<Frame, kMostFrames> frames_{};
  std::size_t count_ = 0;
  bool failed_ = false;
};

}  // namespace stepscope::host_sampler

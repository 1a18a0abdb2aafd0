// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/frame_chain.hpp"

#include <cstring>

#include "collectors/python_frames/frames.hpp"

namespace stepscope::host_sampler {

bool FrameChain::start(Address thread) noexcept {
  count_ = 0;
  page_ = 0;
  failed_ = true;
  holder_ = thread + layout_.thread_frame;
  if (layout_.holder_frame >= 0) {
    Address c_frame = 0;
    if (!memory_.load(holder_, c_frame) || c_frame == 0) return false;
    holder_ = c_frame + static_cast<Address>(layout_.holder_frame);
  }
  if (!memory_.load(holder_, innermost_)) return false;
  next_ = innermost_;
  failed_ = false;
  return true;
}

bool FrameChain::next(Frame& frame) noexcept {
  if (next_ == 0 || count_ == kMostFrames) return false;
  std::array<char, kFrameBytes> bytes;
  if (next_ % sizeof(Address) != 0 || !copy(next_, bytes.data())) {
    failed_ = true;
    return false;
  }
  frame = parse(next_, bytes.data());
  if (frame.is_generator && frame.previous == 0) {
    failed_ = true;
    return false;
  }
  frames_[count_++] = frame;
  next_ = frame.previous;
  return true;
}

bool FrameChain::is_still_so(std::span<const Memory::Piece> more) const noexcept {
  std::array<std::array<char, kFrameBytes>, kMostFrames> again;
  std::array<Memory::Piece, Memory::kMostPieces> pieces;
  std::size_t wanted = 0;
  Address innermost = 0;
  if (count_ + 1 + more.size() > pieces.size()) return false;
  pieces[wanted++] = {holder_, &innermost, sizeof innermost};
  for (std::size_t i = 0; i < count_; ++i)
    pieces[wanted++] = {frames_[i].address, again[i].data(), kFrameBytes};
  for (const Memory::Piece& piece : more) pieces[wanted++] = piece;
  if (!memory_.read({pieces.data(), wanted}) || innermost != innermost_) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    const Frame now = parse(frames_[i].address, again[i].data());
    if (now.code != frames_[i].code || now.previous != frames_[i].previous) return false;
    if (i > 0 && now.instruction != frames_[i].instruction) return false;
  }
  return true;
}

bool FrameChain::is_still(const Frame& frame) const noexcept {
  std::array<char, kFrameBytes> again;
  if (!memory_.read(frame.address, again.data(), kFrameBytes)) return false;
  const Frame now = parse(frame.address, again.data());
  return now.code == frame.code && now.previous == frame.previous &&
         now.instruction == frame.instruction;
}

// Copies a frame from the copy of its page if it lies in one; the page is then mapped as a whole.
bool FrameChain::copy(Address from, char* to) noexcept {
  const Address page = from & ~(kPage - 1);
  if (from + kFrameBytes > page + kPage) return memory_.read(from, to, kFrameBytes);
  if (page != page_) {
    page_ = 0;
    if (!memory_.read(page, page_bytes_.data(), kPage)) return false;
    page_ = page;
  }
  std::memcpy(to, page_bytes_.data() + (from - page), kFrameBytes);
  return true;
}

Frame FrameChain::parse(Address address, const char* bytes) const noexcept {
  const char owner = python::load<char>(bytes, layout_.frame_owner);
  const bool is_shim = owner == python::kShimOwner;
  return {address, is_shim ? 0 : python::load<Address>(bytes, layout_.frame_code) & ~Address{3},
          python::load<Address>(bytes, layout_.frame_instruction),
          python::load<Address>(bytes, layout_.frame_previous), owner == python::kGeneratorOwner};
}

}  // namespace stepscope::host_sampler

// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/sampled_place.hpp"

#include <array>

#include "core/model/events.hpp"

namespace stepscope::host_sampler {
namespace {

constexpr int kTries = 3;
// How many frames around a line of the user's are asked whether they are PyTorch's data loading, besides
// those that are: enough for a dataset's or a sampler's own functions.
constexpr int kLookedAround = 3;

// What the walk has seen so far, innermost first.
class Choice {
 public:
  // False: no frame further out matters.
  bool add(const Frame& frame, const Code& code, Whose whose) noexcept {
    if (code.role == Role::worker_loop) {
      flags_ |= kSampleWorker;
      return false;
    }
    if (code.role == Role::fetch) flags_ |= kSampleFetching;
    const bool is_settled = best_.kind == python::SourceKind::user && has_any_;
    const bool is_loading = code.role == Role::loader || code.role == Role::fetch;
    if (is_loading && (!is_settled || whose == Whose::own)) flags_ |= kSampleInLoader;
    if (!is_settled) {
      if (!has_any_) innermost_ = code.label;
      if (!has_any_ || code.kind < best_.kind) {
        best_ = code;
        frame_ = frame;
        instruction_ = frame.instruction;
        called_ = has_any_ ? inner_ : 0;
      }
    }
    inner_ = code.label;
    has_any_ = true;
    if (whose == Whose::maybe_worker || best_.kind != python::SourceKind::user) return true;
    // A subset or a concatenation of datasets lies between a dataset and the code that fetches.
    if (code.role == Role::loader) return true;
    return code.role == Role::plain && looked_around_++ < kLookedAround;
  }

  // An idle worker is at no line of anybody's.
  bool take(const Memory& memory, CodeTable& codes, Place& place) const noexcept {
    place = {};
    place.flags = flags_;
    if ((flags_ & kSampleWorker) != 0 && (flags_ & kSampleFetching) == 0) return true;
    if (!codes.holds(best_, instruction_)) return false;
    place.site = codes.site_of(memory, best_, instruction_);
    place.called = called_;
    place.innermost = called_ == 0 || called_ == innermost_ ? 0 : innermost_;
    return place.site != 0;
  }
  bool has_any() const noexcept { return has_any_; }

  // Two walks, one after the other, that end at the same frame of the same code: what it had called
  // may have changed meanwhile, but not where it stands.
  bool is_where(const Choice& other) const noexcept {
    return has_any_ && frame_.address != 0 && frame_.address == other.frame_.address &&
           instruction_ == other.instruction_ && best_.address == other.best_.address &&
           best_.words == other.best_.words;
  }
  const Frame& frame() const noexcept { return frame_; }
  bool has_code_still(const Memory& memory, CodeTable& codes) const noexcept {
    CodeTable::Header header;
    return memory.read(best_.address, header.data(), codes.header_bytes()) &&
           codes.is_still(best_.address, best_.words, header);
  }

 private:
  Code best_;
  Frame frame_;  // the frame of best_
  Address instruction_ = 0;
  recorder::NameId called_ = 0, innermost_ = 0, inner_ = 0;
  std::uint8_t flags_ = 0;
  bool has_any_ = false;
  int looked_around_ = 0;
};

// Words of the frames that have code, in their order; the table may have lost a frame's entry to a
// later frame of the walk.
using SeenWords = std::array<CodeWords, FrameChain::kMostFrames>;

// Frames and their code objects, all read once more.
bool is_still_so(const FrameChain& chain, const SeenWords& seen, CodeTable& codes) noexcept {
  static_assert(FrameChain::kMostFrames * 2 + 1 <= Memory::kMostPieces);
  std::array<CodeTable::Header, FrameChain::kMostFrames> headers;
  std::array<Memory::Piece, FrameChain::kMostFrames> pieces;
  std::size_t wanted = 0;
  for (const Frame& frame : chain.frames()) {
    if (frame.code == 0) continue;
    pieces[wanted] = {frame.code, headers[wanted].data(), codes.header_bytes()};
    ++wanted;
  }
  if (!chain.is_still_so({pieces.data(), wanted})) return false;
  bool same = true;
  for (std::size_t i = 0; i < wanted; ++i)
    same = codes.is_still(pieces[i].from, seen[i], headers[i]) && same;
  return same;
}

// `last`: where the try before came to.
Reading try_once(const Memory& memory, const python::Layout& layout, CodeTable& codes,
                 Address thread, Whose whose, Choice& last, Place& place) noexcept {
  FrameChain chain(memory, layout);
  if (!chain.start(thread)) return Reading::torn;
  Choice choice;
  Frame frame;
  SeenWords seen;
  std::size_t codes_seen = 0;
  while (chain.next(frame)) {
    if (frame.code == 0) continue;
    const Code* code = codes.find(memory, frame.code);
    if (code == nullptr) return Reading::torn;
    seen[codes_seen++] = code->words;
    if (!choice.add(frame, *code, whose)) break;
  }
  if (chain.failed()) return Reading::torn;
  if (!choice.has_any()) return Reading::nothing;
  const Choice before = last;
  last = choice;
  if (!choice.take(memory, codes, place)) return Reading::torn;
  const bool is_so = is_still_so(chain, seen, codes) ||
                     (choice.is_where(before) && chain.is_still(choice.frame()) &&
                      choice.has_code_still(memory, codes));
  return is_so ? Reading::place : Reading::torn;
}

}  // namespace

Reading read_place(const Memory& memory, const python::Layout& layout, CodeTable& codes,
                   Address thread, Whose whose, Place& place) noexcept {
  Reading reading = Reading::torn;
  Choice last;
  for (int i = 0; i < kTries && reading == Reading::torn; ++i)
    reading = try_once(memory, layout, codes, thread, whose, last, place);
  return reading;
}

}  // namespace stepscope::host_sampler

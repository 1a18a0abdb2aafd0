// SPDX-License-Identifier: Apache-2.0
// Reads how far the loops of a Python thread are, while it may run: a `for` keeps its iterator on
// its frame's value stack, and the iterators of range, list, tuple, enumerate and zip count.
//
//     frame -> locals, then the value stack. Its slots do not show whether they are in use: a stale
//   one points to an object that has no references any more, or to another object
//   object -> reference count, type, then the iterator's own words
//   generator (tqdm, batches): its own frame lies in it, and is looked into as well
//   instruction -> the `for` loops around it. The iterators of these lie lowest on the stack, outer
//   ones first, so each iterator has its line, and iterators above them are stale
//
// Only threads that record nothing are read, because no record shows their iterations. Nothing is
// read twice: users of the counts must tolerate a torn one.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "collectors/host_sampler/code_loops.hpp"
#include "collectors/host_sampler/code_table.hpp"
#include "collectors/host_sampler/frame_chain.hpp"

namespace stepscope::host_sampler {

struct LoopCount {
  recorder::NameId file = 0, function = 0;  // place of the frame that holds the loop, or drives it
  std::uint32_t line = 0;                   // where the frame's `for` stands; 0: not known
  std::uint32_t slots = 0;    // where its iterator lies: two of them of one `for` are two loops
  std::int64_t position = 0;  // grows by one with each iteration
  std::int64_t end = 0;       // the position behind the last one; -1: not known
};

// Whether the thread is importing a module. Nothing is interned, so it may be asked before anything
// is recorded.
bool is_importing(const Memory& memory, const python::Interpreter& python, Address thread) noexcept;

class LoopCounts {
 public:
  static constexpr std::size_t kMost = 8;

  explicit LoopCounts(const python::Interpreter& python) noexcept
      : python_(python), loops_of_codes_(python) {}

  // Outermost first, valid until the next call. None of those that run while a module is imported.
  std::span<const LoopCount> read(const Memory& memory, CodeTable& codes, Address thread) noexcept;

 private:
  static constexpr std::size_t kSlots = 16;  // the lowest slots of a frame are read
  static constexpr std::size_t kHead = 16;   // an object's references and its type
  static constexpr std::size_t kGenerator = 256;
  using Head = std::array<char, kHead>;

  // `loop`: what is known of it by the frame that is looked into. `around`: the loops that the
  // frame is in; not known for a generator's.
  void look_into(const Memory& memory, CodeTable& codes, Address frame, const Code& code,
                 const LoopCount& loop, const ForLoops& around, int depth) noexcept;
  void look_at(const Memory& memory, CodeTable& codes, Address object, LoopCount& loop,
               int depth) noexcept;
  void look_into_generator(const Memory& memory, CodeTable& codes, Address generator,
                           const LoopCount& loop, int depth) noexcept;
  bool read_head(const Memory& memory, Address object, Head& head) const noexcept;
  bool is_iterator(const Memory& memory, Address object) const noexcept;
  // False: it is no iterator that counts.
  bool count(const Memory& memory, Address iterator, LoopCount& loop) const noexcept;

  const python::Interpreter& python_;
  CodeLoops loops_of_codes_;
  std::array<Code, FrameChain::kMostFrames> codes_of_frames_{};
  std::array<LoopCount, kMost> found_{};
  std::size_t found_count_ = 0;
};

}  // namespace stepscope::host_sampler

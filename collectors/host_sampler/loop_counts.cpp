// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/loop_counts.hpp"

#include <algorithm>
#include <string_view>

#include "collectors/python_frames/frames.hpp"

namespace stepscope::host_sampler {
namespace {

using python::load;

constexpr Address kLowest = 4096;  // addresses below are none
constexpr Address kTags = 7;       // bits that CPython 3.14 keeps in references of the stack
constexpr std::uint32_t kMostReferences = 1U << 20U;
constexpr std::int64_t kMostIterations = std::int64_t{1} << 48U;
constexpr char kGeneratorOwner = 1;
constexpr int kDeepest = 2;              // a generator that drives a generator
constexpr std::uint32_t kSlotBase = 32;  // more than a frame has slots here

constexpr std::string_view kImporter = "<frozen importlib.";  // begin of its files' names

// Words of CPython's iterators, behind the object's head of two. Objects/*.c of 3.11 to 3.14.
constexpr std::uint32_t kFirst = 16, kSecond = 24, kThird = 32, kFourth = 40;

bool is(const char* head, const python::Layout& at, python::Object type) noexcept {
  return type != nullptr && load<Address>(head, at.object_type) == reinterpret_cast<Address>(type);
}

// 3.11: index, start, step, length. From 3.12 on: next value, step, what is left.
void count_range(const char* head, bool has_index, LoopCount& loop) noexcept {
  if (has_index) {
    loop.position = load<std::int64_t>(head, kFirst);
    loop.end = load<std::int64_t>(head, kFourth);
    return;
  }
  const auto next = load<std::int64_t>(head, kFirst), step = load<std::int64_t>(head, kSecond);
  const auto left = load<std::int64_t>(head, kThird);
  // Exact for a range from 0; else off by the same in each iteration, which no difference shows.
  loop.position = step == 0 ? 0 : std::max<std::int64_t>(0, next / step);
  loop.end = loop.position + left;
}

}  // namespace

bool is_importing(const Memory& memory, const python::Interpreter& python,
                  Address thread) noexcept {
  const python::Layout& at = python.layout;
  FrameChain chain(memory, at);
  if (!chain.start(thread)) return false;
  Frame frame;
  while (chain.next(frame)) {
    Address file = 0;
    std::array<char, kImporter.size()> text{};
    if (frame.code != 0 && memory.load(frame.code + at.code_file, file) && file != 0 &&
        memory.read(file + at.text_ascii_data, text.data(), text.size()) &&
        std::string_view(text.data(), text.size()) == kImporter)
      return true;
  }
  return false;
}

std::span<const LoopCount> LoopCounts::read(const Memory& memory, CodeTable& codes,
                                            Address thread) noexcept {
  found_count_ = 0;
  FrameChain chain(memory, python_.layout);
  if (!chain.start(thread)) return {};
  Frame frame;
  while (chain.next(frame)) {
    Code& code = codes_of_frames_[chain.frames().size() - 1];
    const Code* known = frame.code == 0 ? nullptr : codes.find(memory, frame.code);
    code = known == nullptr ? Code{} : *known;
  }
  for (std::size_t i = chain.frames().size(); i-- > 0;) {
    const Code& code = codes_of_frames_[i];
    if (code.address == 0) continue;
    if (code.role == Role::importer) break;
    const LoopCount loop{.file = code.file, .function = code.function};
    look_into(memory, codes, chain.frames()[i].address, code, loop, 0);
  }
  return {found_.data(), found_count_};
}

void LoopCounts::look_into(const Memory& memory, CodeTable& codes, Address frame, const Code& code,
                           const LoopCount& loop, int depth) noexcept {
  std::array<Address, kSlots> stack{};
  const std::size_t slots = std::min<std::size_t>(kSlots, code.stack_size);
  const Address begin = frame + python_.layout.frame_locals + code.locals * sizeof(Address);
  if (slots == 0 || !memory.read(begin, stack.data(), slots * sizeof(Address))) return;
  for (std::size_t slot = 0; slot < slots && found_count_ < kMost; ++slot) {
    LoopCount here = loop;
    here.slots = here.slots * kSlotBase + static_cast<std::uint32_t>(slot) + 1;
    look_at(memory, codes, stack[slot] & ~kTags, here, depth);
  }
}

void LoopCounts::look_at(const Memory& memory, CodeTable& codes, Address object, LoopCount& loop,
                         int depth) noexcept {
  Head head;
  if (object < kLowest || !read_head(memory, object, head)) return;
  if (is(head.data(), python_.layout, python_.generator_type))
    look_into_generator(memory, codes, object, loop, depth + 1);
  else if (count(memory, head, loop, 0))
    found_[found_count_++] = loop;
}

// A generator's frame is found by what it must hold: its owner, and a code object.
void LoopCounts::look_into_generator(const Memory& memory, CodeTable& codes, Address generator,
                                     const LoopCount& loop, int depth) noexcept {
  const python::Layout& at = python_.layout;
  std::array<char, kGenerator> bytes;
  if (depth > kDeepest || !memory.read(generator, bytes.data(), bytes.size())) return;
  for (std::uint32_t offset = kFirst; offset + at.frame_locals <= bytes.size();
       offset += sizeof(Address)) {
    const char* frame = bytes.data() + offset;
    if (load<char>(frame, at.frame_owner) != kGeneratorOwner) continue;
    const Code* code = codes.find(memory, load<Address>(frame, at.frame_code) & ~kTags);
    if (code == nullptr || !codes.holds(*code, load<Address>(frame, at.frame_instruction)))
      continue;
    const Code copy = *code;
    return look_into(memory, codes, generator + offset, copy, loop, depth);
  }
}

// An object that was let go has no references left, or the allocator's word in place of their number.
bool LoopCounts::read_head(const Memory& memory, Address object, Head& head) const noexcept {
  if (!memory.read(object, head.data(), head.size())) return false;
  const auto references = load<std::uint32_t>(head.data(), 0);
  return references > 0 && references < kMostReferences;
}

bool LoopCounts::count(const Memory& memory, const Head& head, LoopCount& loop,
                       int depth) const noexcept {
  const python::Layout& at = python_.layout;
  const python::IteratorTypes& types = python_.iterators;
  const char* words = head.data();
  loop.end = -1;
  Head inner;
  if (is(words, at, types.range)) {
    count_range(words, at.range_has_index, loop);
  } else if (is(words, at, types.list) || is(words, at, types.tuple)) {
    loop.position = load<std::int64_t>(words, kFirst);
    const auto sequence = load<Address>(words, kSecond);
    if (sequence != 0) (void)memory.load(sequence + at.sequence_size, loop.end);
  } else if (is(words, at, types.enumerate)) {
    const auto counted = load<std::int64_t>(words, kFirst);
    const auto driver = load<Address>(words, kSecond);
    LoopCount driven = loop;
    if (depth < kDeepest && driver >= kLowest && read_head(memory, driver, inner) &&
        count(memory, inner, driven, depth + 1) && driven.end >= 0)
      loop.end = counted + driven.end - driven.position;
    loop.position = counted;
  } else if (is(words, at, types.zip)) {
    const auto drivers = load<Address>(words, kSecond);
    Address driver = 0;
    return depth < kDeepest && drivers >= kLowest &&
           memory.load(drivers + at.tuple_items, driver) && driver >= kLowest &&
           read_head(memory, driver, inner) && count(memory, inner, loop, depth + 1);
  } else {
    return false;
  }
  return loop.position >= 0 && loop.position < kMostIterations;
}

}  // namespace stepscope::host_sampler

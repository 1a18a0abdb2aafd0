// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/loop_counts.hpp"

#include <algorithm>
#include <string_view>

#include "collectors/python_frames/frames.hpp"
#include "collectors/python_frames/iterator_count.hpp"

namespace stepscope::host_sampler {
namespace {

using python::load;

constexpr Address kLowest = 4096;  // addresses below are none
constexpr Address kTags = 7;       // bits that CPython 3.14 keeps in references of the stack
constexpr std::uint32_t kHeadOfObject = 16;
constexpr int kDeepest = 2;              // a generator that drives a generator
constexpr std::uint32_t kSlotBase = 32;  // more than a frame has slots here

constexpr std::string_view kImporter = "<frozen importlib.";  // begin of its files' names

bool is(const char* head, const python::Layout& at, python::Object type) noexcept {
  return type != nullptr && load<Address>(head, at.object_type) == reinterpret_cast<Address>(type);
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
    const ForLoops around =
        loops_of_codes_.around(memory, codes, code, chain.frames()[i].instruction);
    look_into(memory, codes, chain.frames()[i].address, code, loop, around, 0);
  }
  return {found_.data(), found_count_};
}

void LoopCounts::look_into(const Memory& memory, CodeTable& codes, Address frame, const Code& code,
                           const LoopCount& loop, const ForLoops& around, int depth) noexcept {
  std::array<Address, kSlots> stack{};
  const std::size_t slots = std::min<std::size_t>(kSlots, code.stack_size);
  const Address begin = frame + python_.layout.frame_locals + code.locals * sizeof(Address);
  if (slots == 0 || !memory.read(begin, stack.data(), slots * sizeof(Address))) return;
  std::size_t number = 0;  // counts the iterators
  for (std::size_t slot = 0; slot < slots && found_count_ < kMost; ++slot) {
    const Address object = stack[slot] & ~kTags;
    LoopCount here = loop;
    if (around.is_known) {
      if (number == around.count) return;
      if (!is_iterator(memory, object)) continue;
      here.line = around.line[number++];
    }
    here.slots = here.slots * kSlotBase + static_cast<std::uint32_t>(slot) + 1;
    look_at(memory, codes, object, here, depth);
  }
}

void LoopCounts::look_at(const Memory& memory, CodeTable& codes, Address object, LoopCount& loop,
                         int depth) noexcept {
  Head head;
  if (object < kLowest || !read_head(memory, object, head)) return;
  if (is(head.data(), python_.layout, python_.generator_type))
    look_into_generator(memory, codes, object, loop, depth + 1);
  else if (count(memory, object, loop))
    found_[found_count_++] = loop;
}

// A generator's frame is found by what it must hold: its owner, and a code object.
void LoopCounts::look_into_generator(const Memory& memory, CodeTable& codes, Address generator,
                                     const LoopCount& loop, int depth) noexcept {
  const python::Layout& at = python_.layout;
  std::array<char, kGenerator> bytes;
  if (depth > kDeepest || !memory.read(generator, bytes.data(), bytes.size())) return;
  for (std::uint32_t offset = kHeadOfObject; offset + at.frame_locals <= bytes.size();
       offset += sizeof(Address)) {
    const char* frame = bytes.data() + offset;
    if (load<char>(frame, at.frame_owner) != python::kGeneratorOwner) continue;
    const Code* code = codes.find(memory, load<Address>(frame, at.frame_code) & ~kTags);
    if (code == nullptr || !codes.holds(*code, load<Address>(frame, at.frame_instruction)))
      continue;
    const Code copy = *code;
    return look_into(memory, codes, generator + offset, copy, loop, {}, depth);
  }
}

bool LoopCounts::is_iterator(const Memory& memory, Address object) const noexcept {
  Address type = 0, next = 0;
  return object >= kLowest && memory.load(object + python_.layout.object_type, type) && type != 0 &&
         memory.load(type + python::kTypeNext, next) && next != 0;
}

bool LoopCounts::read_head(const Memory& memory, Address object, Head& head) const noexcept {
  return memory.read(object, head.data(), head.size());
}

bool LoopCounts::count(const Memory& memory, Address iterator, LoopCount& loop) const noexcept {
  const auto read = [&memory](python::Object from, void* to, std::size_t size) noexcept {
    return memory.read(reinterpret_cast<Address>(from), to, size);
  };
  python::IteratorCount count;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is read through `read` alone
  const auto* object = reinterpret_cast<python::Object>(iterator);
  if (!python::IteratorReader(python_, read).count(object, count)) return false;
  loop.position = count.position;
  loop.end = count.end;
  return true;
}

}  // namespace stepscope::host_sampler

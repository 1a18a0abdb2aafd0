// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/loop_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/fake_recorder/fake_recorder.hpp"
#include "tests/collectors/host_sampler/fake_process.hpp"

namespace stepscope::host_sampler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kScript = "/home/me/train.py";
constexpr std::uint32_t kLocals = 2, kStack = 4;

class LoopCountsTest : public testing::Test {
 protected:
  // A code object with kLocals locals and a stack of kStack slots.
  Address code(const char* file, const char* name) {
    const Address at = process.code(file, name, 10);
    process.set(at + process.layout().code_locals, kLocals);
    process.set(at + process.layout().code_stack_size, kStack);
    return at;
  }
  Address frame(Address code_object, Address previous, const std::vector<Address>& stack) {
    const Address at = process.frame(code_object, previous);
    process.room(128);  // for what lies behind it
    for (std::size_t slot = 0; slot < kStack; ++slot)
      process.set(at + process.layout().frame_locals + (kLocals + slot) * sizeof(Address),
                  slot < stack.size() ? stack[slot] : Address{0});
    return at;
  }
  Address object(python::Object type, const std::vector<std::int64_t>& words,
                 std::uint64_t references = 1) {
    const Address at = process.room(64);
    process.set(at, references);
    process.set(at + process.layout().object_type, reinterpret_cast<Address>(type));
    for (std::size_t i = 0; i < words.size(); ++i) process.set(at + 16 + 8 * i, words[i]);
    return at;
  }
  // As 3.12 has it: the next value, the step, what is left.
  Address range(std::int64_t begun, std::int64_t all, std::uint64_t references = 1) {
    return object(types().range, {begun, 1, all - begun}, references);
  }
  const python::IteratorTypes& types() const { return process.python().iterators; }

  std::vector<std::string> read(Address innermost) {
    std::vector<std::string> out;
    for (const LoopCount& loop : loops.read(process, codes, process.thread(innermost)))
      out.push_back(fake_recorder::text(loop.function) + " " + std::to_string(loop.position) +
                    " of " + std::to_string(loop.end));
    return out;
  }

  FakeProcess process;
  CodeTable codes{process.python()};
  LoopCounts loops{process.python()};
};

TEST_F(LoopCountsTest, AreThoseOfAllFramesOutermostFirst) {
  const Address outer = frame(code(kScript, "main"), 0, {range(2, 5)});
  const Address inner = frame(code(kScript, "epoch"), outer, {range(7, 40), range(1, 3)});
  EXPECT_THAT(read(inner), ElementsAre("main 2 of 5", "epoch 7 of 40", "epoch 1 of 3"));
}

TEST_F(LoopCountsTest, AnEnumeratedListEndsWithTheList) {
  const Address list = object(process.python().list_type, {12});  // its length
  const Address driver = object(types().list, {5, static_cast<std::int64_t>(list)});
  const Address counted = object(types().enumerate, {5, static_cast<std::int64_t>(driver)});
  EXPECT_THAT(read(frame(code(kScript, "main"), 0, {counted})), ElementsAre("main 5 of 12"));
}

// A slot that is not in use still holds what was there: an iterator that has been let go.
TEST_F(LoopCountsTest, WhatIsLeftBehindInASlotIsNoLoop) {
  const Address other = object(process.python().text_type, {3});
  EXPECT_THAT(read(frame(code(kScript, "main"), 0, {range(9, 9, 0), other, 0x10})), IsEmpty());
}

TEST_F(LoopCountsTest, MemoryThatIsGoneIsPassedOver) {
  const Address kept = frame(code(kScript, "main"), 0, {0x6000'0000'0000, range(1, 9)});
  EXPECT_THAT(read(kept), ElementsAre("main 1 of 9"));
}

TEST_F(LoopCountsTest, NoneWhileAModuleIsImported) {
  const Address main = frame(code(kScript, "<module>"), 0, {range(1, 2)});
  const Address import = frame(code("<frozen importlib._bootstrap>", "_load"), main, {range(3, 9)});
  const Address library =
      frame(code("/x/site-packages/pack/a.py", "<module>"), import, {range(5, 9)});
  EXPECT_THAT(read(library), ElementsAre("<module> 1 of 2"));
  EXPECT_TRUE(is_importing(process, process.python(), process.thread(library)));
  EXPECT_FALSE(is_importing(process, process.python(), process.thread(main)));
}

}  // namespace
}  // namespace stepscope::host_sampler

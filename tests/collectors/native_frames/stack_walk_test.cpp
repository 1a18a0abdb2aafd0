// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/stack_walk.hpp"

#include <alloca.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <memory>
#include <random>
#include <thread>

namespace stepscope::native {
namespace {

// Functions call each other by chance: of fixed size, with an aligned stack, and of any size.
class Calls {
 public:
  Calls(std::uint64_t seed, bool with_varying) : random_(seed), varying_(with_varying) {
    code_.refresh();
  }

  [[gnu::noinline]] void descend(int depth) {
    if (depth == 0) return look();
    switch (random_() % (varying_ ? 5 : 4)) {
      case 0:
        return small(depth);
      case 1:
        return large(depth);
      case 2:
        return other(depth);
      case 3:
        return aligned(depth);
      default:
        return asked(depth, 16 + random_() % 4096);
    }
  }

  int looks = 0, known = 0, wrong = 0;

 private:
  [[gnu::noinline]] void small(int depth) {
    descend(depth - 1);
    asm volatile("" ::: "memory");
  }
  [[gnu::noinline]] void large(int depth) {
    char room[20 << 10];
    asm volatile("" : : "r"(room) : "memory");
    descend(depth - 1);
    asm volatile("" : : "r"(room) : "memory");
  }
  [[gnu::noinline]] void other(int depth) {
    char room[100];
    asm volatile("" : : "r"(room) : "memory");
    descend(depth - 1);
    asm volatile("" : : "r"(room) : "memory");
  }
  [[gnu::noinline]] void asked(int depth, std::size_t size) {
    void* room = alloca(size);
    asm volatile("" : : "r"(room) : "memory");
    descend(depth - 1);
    asm volatile("" : : "r"(room) : "memory");
  }
  [[gnu::noinline]] void aligned(int depth) {
    alignas(32) char room[256];
    asm volatile("" : : "r"(room) : "memory");
    descend(depth - 1);
    asm volatile("" : : "r"(room) : "memory");
  }

  [[gnu::noinline]] void look() {
    const auto slot =
        reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + sizeof(std::uintptr_t);
    UserCalls quick;
    const bool is_known = walk_known_frames(slot, stack_of_thread(), code_, *sizes_, quick);
    const UserCalls slow = walk_stack(slot, code_, *sizes_);
    ++looks;
    known += is_known;
    wrong += is_known && quick != slow;
  }

  std::mt19937_64 random_;
  bool varying_;
  UserCode code_;
  std::unique_ptr<FrameSizes> sizes_ = std::make_unique<FrameSizes>();
};

TEST(StackWalk, KnownFramesShowTheCallsOfTheUnwindTables) {
  Calls calls(1, false);
  for (int i = 0; i < 2000; ++i) calls.descend(i % 12);
  EXPECT_EQ(calls.wrong, 0);
  EXPECT_GE(calls.known, calls.looks * 9 / 10);
}

TEST(StackWalk, AChainOfFewCallsIsKnownToItsEnd) {
  Calls calls(1, false);
  const auto look_often = [](void* of) -> void* {
    for (int i = 0; i < 4; ++i) static_cast<Calls*>(of)->descend(0);
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, look_often, &calls), 0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(calls.looks, 4);
  EXPECT_EQ(calls.known, 2) << "all but the first two";
  EXPECT_EQ(calls.wrong, 0);
}

TEST(StackWalk, FramesWhoseSizeVariesAreLeftToTheUnwindTables) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Calls calls(seed, true);
    for (int i = 0; i < 500; ++i) calls.descend(i % 12);
    EXPECT_EQ(calls.wrong, 0) << seed;
    EXPECT_GT(calls.known, 0) << seed;
  }
}

thread_local char variables[300 << 10];

TEST(StackWalk, VariablesOfAThreadAreNoneOfItsStack) {
  std::thread([] {
    const StackSpan stack = stack_of_thread();
    const auto here = reinterpret_cast<std::uintptr_t>(&stack);
    EXPECT_LT(here, stack.high);
    EXPECT_LE(stack.high, reinterpret_cast<std::uintptr_t>(&variables[0]));
    EXPECT_LT(stack.high - here, std::uintptr_t{64 << 10});
  }).join();
}

TEST(StackWalk, NothingIsReadBeyondTheStack) {
  UserCode code;
  code.refresh();
  const auto sizes = std::make_unique<FrameSizes>();
  const StackSpan stack = stack_of_thread();
  ASSERT_LT(stack.low, stack.high);
  UserCalls calls;
  for (const std::uintptr_t slot : {stack.high, stack.high - 4, stack.low - 8})
    EXPECT_FALSE(walk_known_frames(slot, stack, code, *sizes, calls)) << slot;
}

TEST(FrameSizes, ADistanceIsKnownOnceTwoWalksFoundIt) {
  FrameSize size;
  EXPECT_FALSE(size.is_known());
  size = size.with(6);
  EXPECT_FALSE(size.is_known());
  size = size.with(6);
  EXPECT_TRUE(size.is_known());
  EXPECT_EQ(size.words, 6);
  size = size.with(8);
  EXPECT_FALSE(size.is_known());
  size = size.with(6);
  EXPECT_TRUE(size.is_known());
  EXPECT_EQ(size.other, 8);
}

TEST(FrameSizes, AThirdDistanceIsNeverTrusted) {
  FrameSize size;
  for (const std::int16_t words : std::array<std::int16_t, 6>{6, 8, 9, 6, 6, 6})
    size = size.with(words);
  EXPECT_FALSE(size.is_known());
  FrameSize outermost;
  for (int i = 0; i < 2; ++i) outermost = outermost.with(FrameSize::kOutermost);
  EXPECT_TRUE(outermost.is_known());
  for (int i = 0; i < 3; ++i) outermost = outermost.with(6);
  EXPECT_FALSE(outermost.is_known());
}

TEST(FrameSizes, WhatIsTooLargeIsNotKept) {
  const auto sizes = std::make_unique<FrameSizes>();
  for (int i = 0; i < 2; ++i) sizes->learn(4096, 32'768);
  EXPECT_FALSE(sizes->find(4096).is_known());
  for (int i = 0; i < 2; ++i) sizes->learn(4096, 32'767);
  EXPECT_TRUE(sizes->find(4096).is_known());
}

TEST(FrameSizes, AFullTableKeepsWhatItKnows) {
  const auto sizes = std::make_unique<FrameSizes>();
  for (int i = 0; i < 2; ++i)
    for (std::uintptr_t address = 1; address <= 2 * FrameSizes::kEntries; ++address)
      sizes->learn(address, static_cast<std::int64_t>(address % 1000 + 1));
  for (std::uintptr_t address = 1; address <= 2 * FrameSizes::kEntries; ++address) {
    const FrameSize size = sizes->find(address);
    EXPECT_TRUE(!size.is_known() || size.words == static_cast<int>(address % 1000 + 1));
  }
  EXPECT_TRUE(sizes->find(1).is_known());
}

}  // namespace
}  // namespace stepscope::native

// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/autograd_numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace stepscope {
namespace {

// PyTorch's objects, as this test lays them out: the number 200 bytes in, the forward thread 104
// bytes further.
constexpr std::size_t kNumber = 200, kForwardThread = kNumber + 104;
std::size_t copies_of_number = 1;
int objects = 0;
std::uint64_t counter = 0;

void store(void* object, std::size_t at, std::uint64_t value) {
  std::memcpy(static_cast<std::byte*>(object) + at, &value, sizeof(value));
}

TorchLibrary numbered_torch() {
  TorchLibrary library;
  library.peek_sequence = [] { return counter; };
  library.current_thread_id = [] { return std::uint64_t{3}; };
  library.construct = [](void*, torch_abi::Scope) { ++objects; };
  library.destroy = [](void*) { --objects; };
  library.before = [](void* object, torch_abi::NameOrSchema, std::int64_t sequence) {
    for (std::size_t i = 0; i < copies_of_number; ++i)
      store(object, kNumber + 8 * i, static_cast<std::uint64_t>(sequence));
  };
  return library;
}

NodeNumbers numbers_of(std::uint64_t sequence, std::uint64_t thread) {
  std::array<std::byte, 512> node{};
  store(node.data(), kNumber, sequence);
  store(node.data(), kForwardThread, thread);
  return node_numbers(*reinterpret_cast<const torch_abi::RecordFunction*>(node.data()));
}

class AutogradNumbersTest : public testing::Test {
 protected:
  AutogradNumbersTest() { copies_of_number = 1, objects = 0, counter = 0; }
};

// First of all: what was found once stays.
TEST_F(AutogradNumbersTest, ANumberThatLiesAtTwoPlacesIsNotRead) {
  copies_of_number = 2;
  EXPECT_FALSE(find_autograd_numbers(numbered_torch()));
  EXPECT_EQ(numbers_of(41, 2).sequence, kNoSequence);
  EXPECT_EQ(objects, 0);
}

TEST_F(AutogradNumbersTest, WithoutAConstructorNodesAreNotRead) {
  TorchLibrary library = numbered_torch();
  library.construct = nullptr;
  EXPECT_FALSE(find_autograd_numbers(library));
  EXPECT_EQ(numbers_of(41, 2).sequence, kNoSequence);
}

TEST_F(AutogradNumbersTest, ANodesNumberIsFoundWherePyTorchKeepsIt) {
  EXPECT_TRUE(find_autograd_numbers(numbered_torch()));
  EXPECT_EQ(objects, 0);
  const NodeNumbers numbers = numbers_of(41, 2);
  EXPECT_EQ(numbers.sequence, 41U);
  EXPECT_EQ(numbers.forward_thread, 2U);
}

// Gradient accumulation has the largest number there is, and no forward thread.
TEST_F(AutogradNumbersTest, NumbersOutOfRangeAreNone) {
  EXPECT_TRUE(find_autograd_numbers(numbered_torch()));
  const NodeNumbers numbers = numbers_of(~std::uint64_t{0}, ~std::uint64_t{0});
  EXPECT_EQ(numbers.sequence, kNoSequence);
  EXPECT_EQ(numbers.forward_thread, 0U);
}

TEST_F(AutogradNumbersTest, ALaunchIsToldTheCountWhereItChanged) {
  EXPECT_TRUE(find_autograd_numbers(numbered_torch()));
  counter = 7;
  EXPECT_EQ(changed_sequence(), std::uint64_t{3} << 32U | 7U);
  EXPECT_EQ(changed_sequence(), 0U);
  counter = 9;
  EXPECT_EQ(changed_sequence(), std::uint64_t{3} << 32U | 9U);
  EXPECT_EQ(next_sequence(), 9U);
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/compare/line_matching.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

SampleCell at(std::uint32_t line, const char* operation, const char* function = "step",
              const char* file = "train.py") {
  return {.line = line,
          .operation = operation,
          .ns = 100,
          .calls = 10,
          .file = file,
          .function = function};
}

// The line of B that a line of A became; 0: none.
std::uint32_t became(const std::vector<SampleCell>& a, const std::vector<SampleCell>& b,
                     std::size_t place) {
  const auto of_a = items_of(a), of_b = items_of(b);
  const LineMatching lines(lines_of(of_a), lines_of(of_b));
  return lines.pairs()[lines.of_a(of_a[place])].b.second;
}

TEST(LineMatching, LinesThatMovedTogetherPairByTheirWork) {
  const std::vector<SampleCell> a = {at(10, "gemm"), at(11, "relu"), at(12, "sum")};
  const std::vector<SampleCell> b = {at(15, "gemm"), at(16, "relu"), at(17, "sum")};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(became(a, b, i), 15 + i);
}

TEST(LineMatching, ALineInsertedBetweenDoesNotShiftTheRest) {
  const std::vector<SampleCell> a = {at(10, "gemm"), at(11, "sum")};
  const std::vector<SampleCell> b = {at(10, "gemm"), at(11, "topk"), at(12, "sum")};
  EXPECT_EQ(became(a, b, 0), 10U);
  EXPECT_EQ(became(a, b, 1), 12U);
}

TEST(LineMatching, OneLeftOverOnEachSideIsTheEditedLine) {
  const std::vector<SampleCell> a = {at(10, "gemm"), at(11, "softmax"), at(12, "sum")};
  const std::vector<SampleCell> b = {at(20, "gemm"), at(21, "flash"), at(22, "sum")};
  EXPECT_EQ(became(a, b, 1), 21U);
}

TEST(LineMatching, FilesPairByNameWhereTheFolderIsAnother) {
  const std::vector<SampleCell> a = {at(10, "gemm", "step", "/old/train.py")};
  const std::vector<SampleCell> b = {at(12, "gemm", "step", "/new/train.py")};
  EXPECT_EQ(became(a, b, 0), 12U);
}

TEST(LineMatching, FilesOfOneNamePairByTheLongestEndOfTheirPaths) {
  const std::vector<SampleCell> a = {at(10, "gemm", "f", "/old/io/__init__.py"),
                                     at(20, "relu", "f", "/old/net/__init__.py")};
  const std::vector<SampleCell> b = {at(12, "gemm", "f", "/new/io/__init__.py"),
                                     at(22, "relu", "f", "/new/net/__init__.py")};
  EXPECT_EQ(became(a, b, 0), 12U);
  EXPECT_EQ(became(a, b, 1), 22U);
  const std::vector<SampleCell> same = {at(10, "gemm", "f", "/old/io/__init__.py"),
                                        at(20, "gemm", "f", "/old/net/__init__.py")};
  const std::vector<SampleCell> other = {at(12, "gemm", "f", "/new/x/__init__.py"),
                                         at(22, "gemm", "f", "/new/y/__init__.py")};
  EXPECT_EQ(became(same, other, 0), 0U) << "which of the two it is cannot be told";
}

TEST(LineMatching, ABranchThatWasNotTakenDidNotMove) {
  const std::vector<SampleCell> a = {at(10, "gemm"), at(18, "dot"), at(30, "sum")};
  const std::vector<SampleCell> b = {at(10, "gemm"), at(21, "mm"), at(30, "sum")};
  EXPECT_EQ(became(a, b, 0), 10U);
  EXPECT_EQ(became(a, b, 1), 0U) << "line 21 is another line of the same file";
}

TEST(LineMatching, ARemovedLineHasNone) {
  const std::vector<SampleCell> a = {at(10, "gemm"), at(11, "item", "log")};
  const std::vector<SampleCell> b = {at(10, "gemm")};
  EXPECT_EQ(became(a, b, 1), 0U);
}

TEST(LineMatching, TimeWithoutALineIsRowZero) {
  const auto a = items_of({at(0, "gemm")}), b = items_of({at(10, "gemm")});
  const LineMatching lines(lines_of(a), lines_of(b));
  EXPECT_EQ(lines.of_a(a[0]), 0U);
}

}  // namespace
}  // namespace stepscope::compare_parts

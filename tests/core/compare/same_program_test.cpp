// SPDX-License-Identifier: Apache-2.0
#include "core/compare/same_program.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

struct Program {
  std::string file;
  std::string function;
  std::string operation;
  std::string phase = "forward";
};

// All of the time but a tenth is in the given function; that tenth is in what any program has.
Summary run_of(const Program& program) {
  Summary side = side_of_cells(
      {{.phase = program.phase,
        .operation = program.operation,
        .ns = 900,
        .file = program.file,
        .function = program.function},
       {.operation = "aten::addmm", .ns = 100, .file = program.file, .function = "<module>"}});
  PhaseRow row;
  row.name = row.path = program.phase;
  row.wall_ns_total = 1'000;
  side.phases = {row};
  return side;
}

SameBy match(const Program& a, const Program& b) {
  const SameBy by = match_programs(run_of(a), run_of(b)).by;
  EXPECT_EQ(by, match_programs(run_of(b), run_of(a)).by) << a.file << " " << b.file;
  return by;
}

TEST(SameProgram, AFileThatBothRunIsEnough) {
  EXPECT_EQ(match({"1_slow/train.py", "norms", "aten::norm"},
                  {"3_norm/train.py", "fused", "aten::_foreach_norm"}),
            SameBy::file);
}

TEST(SameProgram, ACopyHasALikeNameOrTheSameWork) {
  const Program train{"train.py", "Model.forward", "aten::conv2d"};
  EXPECT_EQ(match(train, {"train_fused.py", "Fast.forward", "aten::mm"}), SameBy::name);
  EXPECT_EQ(match(train, {"before.py", "Model.forward", "aten::conv2d"}), SameBy::work);
}

TEST(SameProgram, AMendedCopyIsContainedInTheOriginal) {
  const auto with_own = [](const char* file, std::int64_t own_ns) {
    return side_of_cells(
        {{.operation = "aten::mm", .ns = 300, .file = file, .function = "train"},
         {.operation = "aten::norm", .ns = own_ns, .file = file, .function = "gradient_norm"}});
  };
  const Summary mended = side_of_cells(
      {{.operation = "aten::mm", .ns = 300, .file = "quick.py", .function = "train"}});
  EXPECT_EQ(match_programs(with_own("slow.py", 2'000), mended).by, SameBy::work);
  EXPECT_EQ(match_programs(mended, with_own("slow.py", 2'000)).by, SameBy::work);
  EXPECT_EQ(match_programs(mended, with_own("slow.py", 9'000)).by, SameBy::nothing);
}

TEST(SameProgram, PhasesCountWhereTheProgramNamedThem) {
  const Program a{"clt.py", "top", "aten::topk", "encode"};
  EXPECT_EQ(match(a, {"fast.py", "select", "aten::sort", "encode"}), SameBy::phases);
  EXPECT_EQ(match(a, {"fast.py", "select", "aten::sort", "decode"}), SameBy::nothing);
}

TEST(SameProgram, WhatEveryTrainingProgramHasSaysNothing) {
  EXPECT_EQ(match({"faces.py", "augment", "", "data"}, {"words.py", "tokens", "", "data"}),
            SameBy::nothing);
  EXPECT_EQ(match({"m5.py", "<module>", ""}, {"m6.py", "<module>", ""}), SameBy::nothing);
}

TEST(SameProgram, ASideWithoutLinesIsNotJudged) {
  Summary native = side_of_cells({{.line = 0, .ns = 1'000}});
  EXPECT_EQ(match_programs(run_of({"faces.py", "augment", ""}), native).by, SameBy::file);
}

}  // namespace
}  // namespace stepscope::compare_parts

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
  const Summary repaired = side_of_cells(
      {{.operation = "aten::mm", .ns = 300, .file = "quick.py", .function = "train"}});
  EXPECT_EQ(match_programs(with_own("slow.py", 2'000), repaired).by, SameBy::work);
  EXPECT_EQ(match_programs(repaired, with_own("slow.py", 2'000)).by, SameBy::work);
  EXPECT_EQ(match_programs(repaired, with_own("slow.py", 9'000)).by, SameBy::nothing);
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

TEST(SameProgram, AFilesNameAloneSaysLittle) {
  EXPECT_EQ(
      match({"vision/train.py", "augment", "", "data"}, {"text/train.py", "tokens", "", "data"}),
      SameBy::file)
      << "a tenth is in the same module's code";
  const auto all_of = [](const char* function, const char* operation) {
    return side_of_cells({{.operation = operation, .ns = 900, .function = function}});
  };
  const Summary vision = all_of("augment", "aten::conv2d");
  EXPECT_EQ(match_programs(vision, all_of("tokens", "aten::conv2d")).by, SameBy::file_name);
  EXPECT_EQ(match_programs(vision, all_of("augment", "aten::mm")).by, SameBy::file);
  const Summary script = all_of("<module>", "aten::conv2d");
  EXPECT_EQ(match_programs(script, all_of("<module>", "aten::mm")).by, SameBy::file_name);
  EXPECT_EQ(match_programs(script, script).by, SameBy::file);
}

TEST(SameProgram, ALibrarysFileLeavesTheCommandToTell) {
  const auto run = [](const char* command) {
    Summary side = side_of_cells({{.ns = 900, .file = "trainer.py", .function = "fit"}});
    side.run.command = command;
    return side;
  };
  const ProgramMatch other = match_programs(run("python words.py"), run("python faces.py"));
  EXPECT_EQ(other.by, SameBy::work);
  EXPECT_TRUE(other.by_command);
  EXPECT_EQ(other.a_name, "words");
  EXPECT_EQ(match_programs(run("python words.py"), run("")).by, SameBy::file);
}

Summary native(const char* command, const char* kernel) {
  Summary side = side_of_cells({{.line = 0, .operation = kernel, .ns = 1'000}});
  side.run.command = command;
  side.kernels = {{.name = kernel, .ns_total = 800}, {.name = "Memcpy HtoD", .ns_total = 100}};
  return side;
}

TEST(SameProgram, WithoutLinesTheCommandAndTheKernelsTell) {
  const auto by = [](const Summary& a, const Summary& b) {
    EXPECT_EQ(match_programs(a, b).by, match_programs(b, a).by);
    return match_programs(a, b).by;
  };
  const Summary gemm = native("./train", "gemm_128<float>(float*)");
  EXPECT_EQ(by(gemm, native("./train --fused", "fused<float>(float*)")), SameBy::file);
  EXPECT_EQ(by(gemm, native("./mine", "gemm_256<float>(float*)")), SameBy::work);
  EXPECT_EQ(by(gemm, native("./sort", "radix<int>(int*)")), SameBy::nothing);
  EXPECT_EQ(by(gemm, native("", "radix<int>(int*)")), SameBy::other_work);
  EXPECT_EQ(by(gemm, native("", "gemm_256<float>(float*)")), SameBy::file);
}

// A run that was recorded with lines, and one that has those of some samples in a library alone.
TEST(SameProgram, AFewLinesElsewhereAreAsGoodAsNone) {
  const auto run = [](std::int64_t at_lines, const char* file) {
    Summary side =
        side_of_cells({{.operation = "aten::mm", .ns = at_lines, .file = file, .function = "f"},
                       {.line = 0, .operation = "aten::mm", .ns = 1'000 - at_lines}});
    side.run.device = "";
    side.run.command = "python3 train.py";
    return side;
  };
  const Summary with_lines = run(900, "train.py");
  Summary few = run(50, "selectors.py");
  few.cells.front().function = "select";
  few.cells.front().operation = "";
  EXPECT_EQ(match_programs(with_lines, few).by, SameBy::file);
  EXPECT_EQ(match_programs(few, with_lines).by, SameBy::file);
  few.run.command = "python3 other.py";
  EXPECT_EQ(match_programs(with_lines, few).by, SameBy::work);
}

TEST(SameProgram, WithoutWorkThatTellsNothingIsClaimed) {
  const auto silent = [](const char* command) {
    Summary side = side_of_cells({{.line = 0, .operation = "", .ns = 1'000}});
    side.run.command = command;
    return side;
  };
  EXPECT_EQ(match_programs(silent("./before"), silent("./after")).by, SameBy::unknown);
  EXPECT_EQ(match_programs(silent(""), silent("")).by, SameBy::file);
}

TEST(SameProgram, OneSideWithoutLinesIsKnownByItsWork) {
  Summary side = side_of_cells({{.line = 0, .operation = "aten::mm", .ns = 1'000}});
  side.run.device = "";
  Summary other = run_of({"faces.py", "augment", "aten::mm"});
  other.run.device = "";
  EXPECT_EQ(match_programs(other, side).by, SameBy::file);
}

}  // namespace
}  // namespace stepscope::compare_parts

// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/periodic_lines.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::IsEmpty;

constexpr int kIterations = 20;
constexpr std::int64_t kOpLength = 1'000;

// A loop at line 10 of main, each of whose iterations runs lines 11 and 12, and what a test adds.
class Program {
 public:
  void run(const std::function<void(int)>& now_and_then) {
    for (int i = 0; i < kIterations; ++i) {
      const std::int64_t begin = now_;
      note_iteration(i);
      op("main", 11), op("forward", 70);
      now_and_then(i);
      op("main", 12);
      steps_.list.push_back({.id = i, .host = {begin, now_}, .window = {begin, now_}});
    }
    steps_.found_by = FoundBy::loop_nest;
  }
  void op(const std::string& function, std::uint32_t line) {
    make_.range(HostKind::op, "aten::mm", 1, now_, now_ + kOpLength, site(function, line));
    now_ += kOpLength;
  }
  // The thread is at a line that records nothing, and is sampled twice.
  void sampled(const std::string& function, std::uint32_t line) {
    for (int part = 0; part < 2; ++part) {
      sample(function, line);
      now_ += kOpLength / 2;
    }
  }
  void pass(int ops) { now_ += ops * kOpLength; }  // nothing is recorded
  // Another loop that runs before or behind that of main, in three iterations.
  void run_alone(const std::string& function, std::uint32_t line) {
    for (int i = 0; i < 3; ++i) note_iteration(i, function, line), op(function, line + 2);
  }
  // The loop of main runs in an iteration of another one.
  void run_inside(const std::string& function, std::uint32_t line) {
    note_iteration(0, function, line);
    ++depth_;
    now_ += 1;
  }
  void leave() { --depth_; }
  std::vector<PeriodicStretch> stretches() { return periodic_stretches(make_.build(), steps_); }

  Steps& steps() { return steps_; }

 private:
  SiteId site(const std::string& function, std::uint32_t line) {
    const auto [known, is_new] = sites_.try_emplace({function, line}, 0);
    if (is_new) {
      known->second = make_.site("/home/me/train.py", line);
      make_.data.sites.back().function = make_.data.strings.intern(function);
    }
    return known->second;
  }
  void sample(const std::string& function, std::uint32_t line) {
    Samples& rows = make_.data.samples;
    rows.time.push_back(now_);
    rows.thread.push_back(make_.thread(1));
    rows.site.push_back(site(function, line));
    rows.called.push_back(0);
    rows.innermost.push_back(0);
    rows.cpu.push_back(0);
    rows.flags.push_back(kSampleRan);
    rows.asleep_in.push_back(AsleepIn::unknown);
  }
  void note_iteration(int i, const std::string& function = "main", std::uint32_t line = 10) {
    LoopPositions& rows = make_.data.loop_positions;
    rows.time.push_back(now_);
    rows.thread.push_back(make_.thread(1));
    rows.depth.push_back(depth_);
    rows.flags.push_back(static_cast<std::uint8_t>(kLoopCounted | (i == 0 ? kLoopEntered : 0)));
    rows.loop.push_back(site(function, line));
    rows.caller.push_back(kNone);
    rows.iteration.push_back(i + 1);
  }

  TraceMaker make_;
  Steps steps_;
  std::map<std::pair<std::string, std::uint32_t>, SiteId> sites_;
  std::int64_t now_ = 1'000'000;
  std::uint8_t depth_ = 0;
};

std::map<std::string, int> counts(const std::vector<PeriodicStretch>& stretches) {
  std::map<std::string, int> out;
  for (const PeriodicStretch& stretch : stretches) ++out[stretch.name];
  return out;
}

// Its experience is collected before each four iterations, and not behind the last of them.
TEST(PeriodicLines, WhatBeginsAnIterationOfALoopAroundIsOne) {
  Program program;
  program.run([&](int i) {
    if (i % 4 == 3 && i + 1 < kIterations) program.op("rollout", 31);
  });
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"rollout", 4}}));
}

TEST(PeriodicLines, AComprehensionHasTheNameOfItsFunction) {
  Program program;
  program.run([&](int i) {
    if (i % 5 == 4) program.op("evaluate.<locals>.<genexpr>", 31);
  });
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"evaluate", 4}}));
}

// A validation in the training function itself.
TEST(PeriodicLines, AComprehensionInTheLoopsOwnFunctionIsNamedByItsPlace) {
  Program program;
  program.run([&](int i) {
    if (i % 5 == 4) program.op("main.<locals>.<listcomp>", 31);
  });
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"train.py:31", 4}}));
}

// It calls the model, whose lines each iteration runs.
TEST(PeriodicLines, AnEvaluationEveryFifthIterationIsOneStretchWithWhatItCalls) {
  Program program;
  program.run([&](int i) {
    if (i % 5 != 4) return;
    program.op("evaluate", 31);
    for (int batch = 0; batch < 3; ++batch) program.op("forward", 70), program.op("evaluate", 33);
  });
  const std::vector<PeriodicStretch> found = program.stretches();
  EXPECT_EQ(counts(found), (std::map<std::string, int>{{"evaluate", 4}}));
  for (const PeriodicStretch& stretch : found) EXPECT_EQ(stretch.time.length(), 7 * kOpLength);
}

TEST(PeriodicLines, LinesOfTheLoopItselfAreNamedByTheirPlace) {
  Program program;
  program.run([&](int i) {
    if (i % 4 == 0) program.op("main", 41), program.op("save", 90);
    program.op("main", 13);
    if (i % 10 == 0) program.op("main", 44);
  });
  EXPECT_EQ(counts(program.stretches()),
            (std::map<std::string, int>{{"train.py:41", 5}, {"train.py:44", 2}}));
}

TEST(PeriodicLines, SoAreLinesInTheFunctionOfALoopAround) {
  Program program;
  program.run_inside("episodes", 5);
  program.run([&](int i) {
    if (i % 5 == 0) program.op("episodes", 7), program.op("act", 60);
  });
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"train.py:7", 4}}));
}

TEST(PeriodicLines, AFunctionWhoseLoopAlsoRunsBehindTheStepsGivesItsName) {
  Program program;
  program.run_inside("main", 5);
  program.run([&](int i) {
    if (i % 5 == 4) program.op("evaluate", 33);
  });
  program.leave();
  program.run_alone("evaluate", 31);
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"evaluate", 4}}));
}

// A sample of text after each fifth batch: its tokens take longer than reading the prompt.
TEST(PeriodicLines, TheNameIsOfWhatHoldsMostOfTheTime) {
  Program program;
  program.run([&](int i) {
    if (i % 5 != 4) return;
    program.op("encode", 80);
    for (int token = 0; token < 3; ++token) program.op("generate", 90), program.op("forward", 70);
    program.op("decode", 85);
  });
  const std::vector<PeriodicStretch> found = program.stretches();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "generate");
}

// One function trains an epoch and validates by the same lines.
TEST(PeriodicLines, TheStepsOwnLinesBehindTheirLastIterationAreAStretch) {
  Program program;
  program.run_inside("epochs", 5);
  program.run([](int) {});
  for (Step& step : program.steps().list) {
    const bool ends_an_epoch = step.id % 5 == 4;
    step.own_end = ends_an_epoch ? step.host.begin + kOpLength + 10 : step.host.end;
  }
  const std::vector<PeriodicStretch> found = program.stretches();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "main after the steps");
}

// Without a loop around, what follows a step's last record is still the step's own iteration: a
// checkpoint in every fifth one.
TEST(PeriodicLines, NothingIsBehindTheStepsOfALoopThatIsInNone) {
  Program program;
  program.run([&](int i) {
    if (i % 5 == 0) program.sampled("main", 15);
  });
  for (Step& step : program.steps().list) step.own_end = step.host.begin + kOpLength + 10;
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"train.py:15", 4}}));
}

TEST(PeriodicLines, SamplesMayMissALineThatRecordsNothing) {
  Program program;
  program.run([&](int i) {
    if (i % 4 == 2 && i != 10) program.sampled("main", 15);
  });
  EXPECT_EQ(counts(program.stretches()), (std::map<std::string, int>{{"train.py:15", 4}}));
}

// Every second iteration makes its data in two functions, of which samples show now the one, now the
// other, at another line each time: all of it is one phase, from the record before to the one behind.
TEST(PeriodicLines, FunctionsThatSamplesSeeInTurnsAreOneStretch) {
  Program program;
  program.run([&](int i) {
    if (i % 2 == 0) return;
    const auto line = static_cast<std::uint32_t>(20 + i % 3);
    if (i % 4 != 3) program.sampled("build", line);
    if (i % 4 != 1 || i == 5) program.sampled("tok", line + 10);
  });
  const std::vector<PeriodicStretch> found = program.stretches();
  ASSERT_EQ(found.size(), 10U);
  for (const PeriodicStretch& one : found) {
    EXPECT_EQ(one.name, found.front().name);
    EXPECT_GE(one.time.length(), kOpLength);
  }
}

// Its only record is at its begin; then it writes for a while. Samples fall into every second one, and
// the next record is of a function that an evaluation calls, too.
TEST(PeriodicLines, AStretchGoesOnBehindItsLastRecordAsSamplesOfOtherStepsShow) {
  const auto lengths = [](bool is_sampled) {
    Program program;
    program.run([&](int i) {
      if (i % 4 == 3) {
        program.op("save", 27);
        if (is_sampled && i % 8 == 3) {
          program.pass(1), program.sampled("save", 27), program.pass(3);
        } else {
          program.pass(5);
        }
      }
      program.op("batch", 21);
    });
    std::vector<std::int64_t> out;
    for (const PeriodicStretch& stretch : program.stretches())
      out.push_back(stretch.time.length() / kOpLength);
    return out;
  };
  EXPECT_THAT(lengths(true), testing::ElementsAre(6, 6, 6, 6, 6));
  EXPECT_THAT(lengths(false), testing::ElementsAre(1, 1, 1, 1, 1)) << "nothing shows whose it is";
}

TEST(PeriodicLines, ALineThatSamplesSeldomSeeIsNone) {
  Program program;
  program.run([&](int i) {
    if (i == 2 || i == 4 || i == 12) program.sampled("main", 15);
  });
  EXPECT_THAT(program.stretches(), IsEmpty());
}

TEST(PeriodicLines, WhatComesAtNoFixedDistanceIsNone) {
  Program program;
  program.run([&](int i) {
    if (i == 3 || i == 4 || i == 11 || i == 17) program.op("log", 80);
  });
  EXPECT_THAT(program.stretches(), IsEmpty());
}

TEST(PeriodicLines, WhatEndsBeforeTheLoopDoesIsNone) {
  Program program;
  program.run([&](int i) {
    if (i < 8 && i % 2 == 0) program.op("warm_up", 80);
  });
  EXPECT_THAT(program.stretches(), IsEmpty());
}

TEST(PeriodicLines, StepsThatWereNotCountedByLoopsHaveNone) {
  Program program;
  program.run([&](int i) {
    if (i % 5 == 4) program.op("evaluate", 31);
  });
  program.steps().found_by = FoundBy::optimizer;
  EXPECT_THAT(program.stretches(), IsEmpty());
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/extra_work.hpp"

#include <gmock/gmock.h>

#include "core/steps/steps.hpp"
#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kMs = 1'000'000;

// Steps of 10 ms, and behind each tenth an evaluation of 40 ms that runs the model's line, too.
class EvaluatingLoop {
 public:
  explicit EvaluatingLoop(bool has_own_line) : has_own_line_(has_own_line) {
    model_ = loop_.make.site("/home/me/fit.py", 64);
    loader_ = loop_.make.site("/home/me/fit.py", 95);
    loop_.make.data.sites[loader_].function = loop_.make.data.strings.intern("Trainer.validate");
  }

  Steps steps() {
    for (int step = 0; step < 45; ++step) {
      for (int op = 0; op < 4; ++op) at("aten::linear", model_, 2 * kMs);
      loop_.optimizer();
      if (step % 10 == 9) evaluate();
    }
    Result<Steps> found = find_steps(loop_.build());
    EXPECT_TRUE(found.ok());
    return *found;
  }

 private:
  void at(const char* name, SiteId site, std::int64_t ns) {
    loop_.make.range(HostKind::op, name, 1, loop_.now, loop_.now + ns, site);
    loop_.now += ns;
  }

  void evaluate() {
    for (int batch = 0; batch < 4; ++batch) {
      if (has_own_line_) at("aten::stack", loader_, kMs);
      for (int op = 0; op < 4; ++op) at("aten::linear", model_, 2 * kMs);
    }
    if (has_own_line_) at("aten::sum", loader_, kMs);
  }

  LoopMaker loop_;
  bool has_own_line_;
  SiteId model_ = 0, loader_ = 0;
};

TEST(ExtraWork, IsNamedByTheFunctionAroundIt) {
  EXPECT_THAT(
      EvaluatingLoop(true).steps().notes,
      Contains(HasSubstr("4 long steps: more work than usual (step 10, 20, 30, 40), called "
                         "from Trainer.validate (fit.py:95), every 10 steps; a range around it "
                         "(torch.profiler.record_function, NVTX) makes it a phase")));
  EXPECT_THAT(EvaluatingLoop(true).steps().notes,
              Contains(HasSubstr("behind the optimizer's step counts to the next step")));
}

TEST(ExtraWork, WithoutALineOfItsOwnNoFunctionIsNamed) {
  const Steps steps = EvaluatingLoop(false).steps();
  EXPECT_THAT(steps.notes, Contains(HasSubstr("more work than usual (step 10")));
  EXPECT_THAT(steps.notes, Contains(HasSubstr("every 10 steps")));
  EXPECT_THAT(steps.notes, Not(Contains(HasSubstr("called from"))));
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/findings/advice/trainer_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Trainer trainer_with_line_in(const std::string& file) {
  TraceMaker make;
  make.thread(1);
  make.site(file, 3);
  make.range(HostKind::op, "aten::mm", 1, 10, 20);
  return trainer_of(make.build());
}

TEST(TrainerTerms, TheLoopsFileNamesTheTrainer) {
  EXPECT_EQ(trainer_with_line_in("/usr/lib/site-packages/transformers/trainer.py"),
            Trainer::transformers);
  EXPECT_EQ(trainer_with_line_in("/x/site-packages/lightning/pytorch/loops/fit_loop.py"),
            Trainer::lightning);
  EXPECT_EQ(trainer_with_line_in("/x/pytorch_lightning/loops/fit_loop.py"), Trainer::lightning);
  EXPECT_EQ(trainer_with_line_in("/x/site-packages/transformers/models/bert.py"), Trainer::none);
  EXPECT_EQ(trainer_with_line_in("train.py"), Trainer::none);
}

std::vector<std::string> hints_for(Trainer trainer) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kAdviceCount; ++i)
    out.push_back(for_trainer(
        std::string(text_of(static_cast<Advice>(i), Language::python).code_hint), trainer));
  for (const OptimizerRuns how : {OptimizerRuns::on_cpu, OptimizerRuns::on_device})
    out.push_back(for_trainer(optimizer_advice("AdamW", how, Language::python).code_hint, trainer));
  return out;
}

// Fails where a row of advice is worded anew and its term is not.
TEST(TrainerTerms, NoHintAsksForWhatATrainerDoesItself) {
  for (const std::string& hint : hints_for(Trainer::transformers))
    for (const char* own : {"DataLoader(", "torch.autocast(", "model = torch.compile(", "graph(",
                            "AdamW(", "batch.to(device", ", pin_memory", ", persistent_workers",
                            "__getitems__", "accumulate over"})
      EXPECT_THAT(hint, Not(HasSubstr(own)));
  for (const std::string& hint : hints_for(Trainer::lightning))
    for (const char* own : {"torch.autocast(", "graph(", "batch.to(device", "accumulate over"})
      EXPECT_THAT(hint, Not(HasSubstr(own)));
}

TEST(TrainerTerms, ArgumentsStandInTheirPlace) {
  const std::string hint(text_of(Advice::input_waits, Language::python).code_hint);
  EXPECT_EQ(for_trainer(hint, Trainer::transformers),
            "TrainingArguments(..., dataloader_num_workers={workers}, dataloader_pin_memory=True, "
            "dataloader_prefetch_factor=4, dataloader_persistent_workers=True)");
  EXPECT_THAT(for_trainer(hint, Trainer::lightning), HasSubstr("DataLoader(dataset, num_workers="));
  EXPECT_EQ(for_trainer(hint, Trainer::none), hint);
}

}  // namespace
}  // namespace stepscope::rules

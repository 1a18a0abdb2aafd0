// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

TEST(DataLoader, ALoopWithoutAnOptimizer) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.op("collate"); });
    loop.eval_ops(1);
  }
  // The epoch's end: a __next__ that brings nothing.
  loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
             [&] { loop.now += 100; });
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::data_loader);
  EXPECT_EQ(steps.list.size(), 6U);
}

TEST(DataLoader, ValidationBatchesAreNoSteps) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 4; ++i) {
      loop.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 [&] { loop.now += 300; });
      loop.train_ops();
    }
    for (int i = 0; i < 2; ++i) {
      loop.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 [&] { loop.now += 300; });
      loop.eval_ops(1);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

// torch.stack([x for x, _ in loader]): nothing happens between two fetches.
TEST(DataLoader, ARequestThatLoadsNothingIsNoBatchWhereBatchesAreOnlyGathered) {
  LoopMaker loop;
  for (int i = 0; i < 13; ++i)
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", [&] {
      loop.now += 300;
      if (i < 12) loop.op("aten::div", 3'000), loop.op("aten::stack", 3'000);
    });
  loop.op("aten::stack");
  EXPECT_EQ(found(loop).list.size(), 12U);
}

const std::string kFetch = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

void train_epoch(LoopMaker& loop, bool with_optimizer) {
  for (int i = 0; i < 4; ++i) {
    loop.range(kFetch, [&] { loop.now += 300; });
    loop.train_ops();
    if (with_optimizer) loop.optimizer();
    loop.op("aten::item");
  }
}

// The fetch that finds the loader empty waits for its workers to end.
void end_epoch(LoopMaker& loop) {
  loop.range(kFetch, [&] { loop.now += 50'000; });
}

// Workers' batches arrive out of turn: what is recorded inside a request says nothing of its batch.
TEST(DataLoader, RequestsToWorkersAreABatchEachWhereBatchesAreOnlyGathered) {
  LoopMaker loop;
  for (int i = 0; i < 13; ++i)
    loop.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", [&] {
      loop.now += 300;
      if (i % 3 == 0) loop.op("aten::set_", 300);
    });
  EXPECT_EQ(found(loop).list.size(), 12U);
}

TEST(DataLoader, TheFetchThatEndsTheLoopIsTheLastSteps) {
  for (const bool with_optimizer : {false, true}) {
    LoopMaker loop;
    for (int epoch = 0; epoch < 3; ++epoch) train_epoch(loop, with_optimizer), end_epoch(loop);
    const std::int64_t end = loop.now;
    loop.now += 10'000;
    loop.op("aten::save");
    const Steps steps = found(loop);
    ASSERT_EQ(steps.list.size(), 12U);
    EXPECT_EQ(steps.list.back().window.end, end);
  }
}

TEST(DataLoader, ValidationBehindTheLastEpochIsTheLastSteps) {
  for (const bool with_optimizer : {false, true}) {
    LoopMaker loop;
    for (int epoch = 0; epoch < 3; ++epoch) {
      train_epoch(loop, with_optimizer), end_epoch(loop);
      for (int i = 0; i < 3; ++i) loop.range(kFetch, [&] { loop.now += 300; }), loop.eval_ops(1);
    }
    const std::int64_t last_op = loop.now - 1'000;
    const Steps steps = found(loop);
    ASSERT_EQ(steps.list.size(), 12U);
    EXPECT_GE(steps.list.back().window.end, last_op);
  }
}

// A loop that is left by a break: what is fetched behind it is another loop's.
TEST(DataLoader, AFetchWhoseBatchIsUsedIsNotTheLastSteps) {
  LoopMaker loop;
  train_epoch(loop, true), train_epoch(loop, true);
  const std::int64_t end = loop.now - 1'000;  // end of the optimizer's last step
  for (int i = 0; i < 3; ++i) loop.range(kFetch, [&] { loop.now += 300; }), loop.eval_ops(1);
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 8U);
  EXPECT_EQ(steps.list.back().window.end, end);
}

}  // namespace
}  // namespace stepscope

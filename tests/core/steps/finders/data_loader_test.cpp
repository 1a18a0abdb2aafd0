// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/data_loader.hpp"

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

}  // namespace
}  // namespace stepscope

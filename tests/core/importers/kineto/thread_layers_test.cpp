// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/thread_layers.hpp"

#include <gmock/gmock.h>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope::kineto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Thread 1 holds ops, thread `calls` their launches, thread `marks` what is around them.
TraceMaker work(std::int64_t calls, std::int64_t marks, std::int64_t off = 0) {
  TraceMaker make;
  for (int k = 0; k < 10; ++k) {
    const std::int64_t now = k * 1'000;
    make.range(HostKind::op, "aten::mm", 1, now + 100, now + 500);
    make.call("cudaLaunchKernel", calls, now + 200 + off, now + 300 + off, 7);
    make.range(HostKind::user_scope, "step", marks, now + off, now + 900 + off);
  }
  return make;
}

TEST(ThreadLayers, CallsAndAnnotationsUnderOtherNumbersJoin) {
  TraceMaker make = work(2, 3);
  EXPECT_THAT(thread_layers(make.data), ElementsAre(kNone, 0U, 0U));
  EXPECT_EQ(make.data.health.notes.size(), 2U);
}

TEST(ThreadLayers, ThreadsThatHoldWorkOfTheirOwnStay) {
  TraceMaker make = work(1, 1);
  make.range(HostKind::op, "aten::add", 2, 100, 200);
  EXPECT_THAT(thread_layers(make.data), ElementsAre(kNone, kNone));
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

TEST(ThreadLayers, RangesThatCrossAreOfTwoThreads) {
  TraceMaker make = work(2, 3, 250);
  EXPECT_THAT(thread_layers(make.data), ElementsAre(kNone, kNone, kNone));
}

// A loader's thread that happens to work while the loop is in one long op.
TEST(ThreadLayers, AnnotationsWithinOpsAreAnotherThreads) {
  TraceMaker make = work(1, 1);
  for (int k = 0; k < 10; ++k)
    make.range(HostKind::user_scope, "prefetch", 4, k * 1'000 + 310, k * 1'000 + 490);
  EXPECT_THAT(thread_layers(make.data), ElementsAre(kNone, kNone));
}

TEST(ThreadLayers, CallsOfAThreadBesideOneWithCallsAreItsOwn) {
  TraceMaker make = work(1, 1);
  make.call("cudaEventQuery", 2, 210, 220);
  EXPECT_THAT(thread_layers(make.data), ElementsAre(kNone, kNone));
}

}  // namespace
}  // namespace stepscope::kineto

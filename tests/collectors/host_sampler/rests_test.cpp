// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/rests.hpp"

#include <gtest/gtest.h>

namespace stepscope::host_sampler {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Rests behind_the_first_looks() {
  Rests rests;
  rests.after(Rests::kFirstWork_ns);
  return rests;
}

TEST(Rests, FirstLooksAreFollowedByShortOnes) {
  Rests rests;
  EXPECT_EQ(rests.after(2 * kMs), Rests::kFirstRest_ns);
  EXPECT_EQ(rests.after(kMs / 200), kMs) << "a cheap look needs no more";
}

TEST(Rests, ADearLooksRestIsSharedAmongThoseBehindIt) {
  Rests rests = behind_the_first_looks();
  EXPECT_EQ(rests.after(kMs), Rests::kLongest_ns);
  EXPECT_EQ(rests.after(kMs / 10), Rests::kLongest_ns)
      << "of the 100 ms that are owed, and its own";
  EXPECT_EQ(rests.after(0), 20 * kMs);
  EXPECT_EQ(rests.after(kMs / 10), 20 * kMs) << "nothing is owed any more";
}

TEST(Rests, InTheLongRunItKeepsToItsShareOfACore) {
  Rests rests = behind_the_first_looks();
  std::int64_t work = 0, rest = 0;
  for (int look = 0; look < 10000; ++look) {
    const std::int64_t took = look % 7 == 0 ? 2 * kMs : kMs / 20;
    work += took;
    rest += rests.after(took);
  }
  EXPECT_GE(rest + Rests::kLongest_ns, Rests::kRestPerWork * work);
}

}  // namespace
}  // namespace stepscope::host_sampler

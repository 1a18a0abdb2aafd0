// SPDX-License-Identifier: Apache-2.0
// This program's own functions are the user's code.
#include "collectors/native_frames/native_call_site.hpp"

#include <gmock/gmock.h>
#include <ucontext.h>

#include <set>
#include <thread>
#include <vector>

#include "collectors/native_frames/stack_walk.hpp"
#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace stepscope {
namespace {

using recorder::SiteRef;
using testing::Each;
using testing::Ne;

class NativeCallSite : public testing::Test {
 protected:
  void SetUp() override { init_native_call_sites(); }
};

[[gnu::noinline]] SiteRef leaf() {
  const SiteRef site = native_call_site();
  asm volatile("" ::: "memory");  // no tail call
  return site;
}
[[gnu::noinline]] SiteRef by_one_way() {
  const SiteRef site = leaf();
  asm volatile("" ::: "memory");
  return site;
}
[[gnu::noinline]] SiteRef by_another() {
  const SiteRef site = leaf();
  asm volatile("" ::: "memory");
  return site;
}

// Leaves words of deep calls below where later calls stand.
[[gnu::noinline]] SiteRef deep(int depth) {
  char room[200] = {};
  asm volatile("" : : "r"(room) : "memory");
  const SiteRef site = depth == 0 ? leaf() : deep(depth - 1);
  asm volatile("" ::: "memory");
  return site;
}

TEST_F(NativeCallSite, OnePlaceIsOneSite) {
  std::set<SiteRef> sites;
  for (int i = 0; i < 1000; ++i) sites.insert(by_one_way());
  EXPECT_EQ(sites.size(), 1U);
  EXPECT_THAT(sites, Each(Ne(SiteRef{0})));
}

TEST_F(NativeCallSite, EachWayToAPlaceIsASiteOfItsOwn) {
  EXPECT_NE(by_one_way(), by_another());
}

// A library's function between the user's and the look takes much of the stack.
[[gnu::noinline]] SiteRef through_a_large_frame() {
  char room[100 << 10];
  asm volatile("" : : "r"(room) : "memory");
  const SiteRef site = leaf();
  asm volatile("" : : "r"(room) : "memory");
  return site;
}

TEST_F(NativeCallSite, CallsBeyondALargeFrameAreSeen) {
  const SiteRef one = through_a_large_frame();
  const SiteRef other = through_a_large_frame();
  EXPECT_NE(one, other);
}

TEST_F(NativeCallSite, WordsOfEarlierCallsDoNotMatter) {
  SiteRef first = 0;
  for (int i = 0; i < 20; ++i) {
    (void)deep(i);
    const SiteRef site = by_one_way();
    if (i == 0) first = site;
    EXPECT_EQ(site, first) << i;
  }
}

TEST_F(NativeCallSite, ThreadsHaveTheirOwnStacks) {
  std::vector<SiteRef> sites(8, 0);
  std::vector<std::thread> threads;
  for (SiteRef& site : sites) threads.emplace_back([&site] { site = by_one_way(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sites, Each(Ne(SiteRef{0})));
  EXPECT_EQ(std::set<SiteRef>(sites.begin(), sites.end()).size(), 1U);
}

// A coroutine's stack is not the thread's: there is no end that is known.
TEST_F(NativeCallSite, AStackOfTheProgramsOwnHasNoSite) {
  static SiteRef site = 1;
  static ucontext_t main_context, own_context;
  std::vector<char> stack(256 << 10);
  getcontext(&own_context);
  own_context.uc_stack.ss_sp = stack.data();
  own_context.uc_stack.ss_size = stack.size();
  own_context.uc_link = &main_context;
  makecontext(
      &own_context, [] { site = by_one_way(); }, 0);
  swapcontext(&main_context, &own_context);
  EXPECT_EQ(site, 0U);
}

}  // namespace
}  // namespace stepscope

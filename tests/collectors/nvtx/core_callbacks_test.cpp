// SPDX-License-Identifier: Apache-2.0
// Modules CORE and CORE2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <thread>

#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NvtxCore = NvtxClient;

TEST_F(NvtxCore, DefaultDomain) {
  nvtxRangePushA("outer");
  nvtxRangePushW(L"caf\u00e9 \u20ac \U0001F600");
  nvtxMarkA("tick");
  nvtxRangePop();
  const auto event = attributes("inner");
  EXPECT_EQ(nvtxRangePushEx(&event), NVTX_NO_PUSH_POP_TRACKING);
  EXPECT_EQ(nvtxRangePop(), NVTX_NO_PUSH_POP_TRACKING);
  nvtxRangePop();
  EXPECT_THAT(story(), ElementsAre("begin outer", "begin caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
                                   "mark tick", "end", "begin inner", "end", "end"));
  for (const Event& begin : only(What::begin)) {
    EXPECT_EQ(begin.lane, recorder::kFirstNvtxLane);
    EXPECT_EQ(begin.kind, HostKind::nvtx_range);
  }
}

TEST_F(NvtxCore, UnnamedEventsAndNulls) {
  nvtxEventAttributes_t event = attributes(nullptr);
  nvtxRangePushEx(&event);
  event.messageType = NVTX_MESSAGE_UNKNOWN;
  nvtxMarkEx(&event);
  event.size = 16;  // an older, shorter struct
  nvtxMarkEx(&event);
  nvtxRangePop();
  nvtxRangePop();  // one too many: the recorder's to ignore
  EXPECT_THAT(story(),
              ElementsAre("begin (unnamed)", "mark (unnamed)", "mark (unnamed)", "end", "end"));
}

TEST_F(NvtxCore, RegisteredStrings) {
  nvtxEventAttributes_t event = attributes(nullptr);
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(nullptr, "cublasSgemm");
  nvtxRangePushEx(&event);
  nvtxRangePop();
  event.message.registered = nvtxDomainRegisterStringW(nullptr, L"wide");
  nvtxMarkEx(&event);
  EXPECT_THAT(story(), ElementsAre("begin cublasSgemm", "end", "mark wide"));
}

TEST_F(NvtxCore, NumbersOfANameAreKept) {
  nvtxRangePushA("numbered 12");
  nvtxEventAttributes_t event = attributes(nullptr);
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(nullptr, "numbered 34567890123");
  nvtxRangePushEx(&event);
  nvtxMarkW(L"numbered 7");
  nvtxNameOsThreadA(1234, "numbered 5");
  EXPECT_THAT(story(), ElementsAre("begin numbered 12", "begin numbered 34567890123",
                                   "mark numbered 7", "label numbered 5"));
}

TEST_F(NvtxCore, StartAndEndAcrossThreads) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("io");
  const auto event = attributes("request");
  const nvtxRangeId_t first = nvtxRangeStartA("plain");
  const nvtxRangeId_t second = nvtxDomainRangeStartEx(domain, &event);
  EXPECT_NE(first, second);
  std::thread([&] {
    nvtxDomainRangeEnd(domain, second);
    nvtxRangeEnd(first);
    nvtxRangeEnd(0);  // from before a tool was there
  }).join();
  const auto begun = only(What::begin_process), ended = only(What::end_process);
  ASSERT_EQ(begun.size(), 2u);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(begun[0].id, first);
  EXPECT_EQ(begun[1].name, "request");
  EXPECT_EQ(begun[1].category, "io");
  EXPECT_EQ(ended[0].id, second);
  EXPECT_NE(ended[0].thread, begun[1].thread);
}

TEST_F(NvtxCore, ThreadsDoNotShareStacks) {
  constexpr int kThreads = 8, kPairs = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      nvtxDomainHandle_t domain = nvtxDomainCreateA(t % 2 == 0 ? "even" : "odd");
      const auto event = attributes(t % 2 == 0 ? "even work" : "odd work");
      for (int i = 0; i < kPairs; ++i) {
        nvtxDomainRangePushEx(domain, &event);
        nvtxDomainRangePop(domain);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto begun = only(What::begin);
  ASSERT_EQ(begun.size(), static_cast<std::size_t>(kThreads * kPairs));
  EXPECT_EQ(only(What::end).size(), begun.size());
  for (const Event& event : begun) EXPECT_EQ(event.name, event.category + " work");
}

}  // namespace
}  // namespace stepscope

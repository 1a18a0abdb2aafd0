// SPDX-License-Identifier: Apache-2.0
// Several clients in a process, and recording switched off.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>

#include "collectors/annotate/stepscope/annotate.hpp"
#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NvtxInjection = NvtxClient;

TEST_F(NvtxInjection, SecondSharedObjectSharesTheDomain) {
  void* library = dlopen(STEPSCOPE_TEST_SECOND_CLIENT, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto range = reinterpret_cast<void (*)(const char*)>(dlsym(library, "second_client_range"));
  ASSERT_NE(range, nullptr);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("shared");
  const auto event = attributes("first");
  nvtxDomainRangePushEx(domain, &event);
  range("shared");
  nvtxDomainRangePop(domain);
  EXPECT_THAT(story(), ElementsAre("begin first @shared", "begin second @shared", "end", "end"));
  const auto begun = only(What::begin);
  EXPECT_EQ(begun[0].lane, begun[1].lane);
}

TEST_F(NvtxInjection, AnnotateHeaderBesideTheRealOne) {
  {
    const auto step = step_range(12);
    const auto topk = phase("topk");
  }
  const auto all = story();
  EXPECT_EQ(std::count(all.begin(), all.end(), "begin step 12 @stepscope"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "begin topk @stepscope"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "end"), 2);
}

TEST_F(NvtxInjection, NothingIsRecordedWhileOff) {
  fake_recorder::set_recording(false);
  nvtxRangePushA("unseen");
  EXPECT_EQ(nvtxRangeStartA("unseen"), 0u);
  nvtxMarkA("unseen");
  nvtxRangePop();
  EXPECT_TRUE(fake_recorder::events().empty());
}

}  // namespace
}  // namespace stepscope

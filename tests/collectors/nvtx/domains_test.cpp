// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NvtxDomains = NvtxClient;

TEST_F(NvtxDomains, DomainsAreFoundByNameAndHaveLanesOfTheirOwn) {
  nvtxDomainHandle_t data = nvtxDomainCreateA("data"), model = nvtxDomainCreateW(L"model");
  EXPECT_EQ(nvtxDomainCreateA("data"), data);
  EXPECT_NE(data, model);
  const auto load = attributes("load"), forward = attributes("forward");
  nvtxDomainRangePushEx(data, &load);
  nvtxDomainRangePushEx(model, &forward);
  nvtxDomainRangePop(data);  // ranges of different domains may cross
  nvtxDomainMarkEx(model, &load);
  nvtxDomainRangePop(model);
  nvtxDomainDestroy(data);
  EXPECT_EQ(nvtxDomainCreateA("data"), data);
  EXPECT_THAT(story(), ElementsAre("begin load @data", "begin forward @model", "end",
                                   "mark load @model", "end"));
  const auto all = fake_recorder::events();
  EXPECT_EQ(all[0].lane, all[2].lane);
  EXPECT_EQ(all[1].lane, all[4].lane);
  EXPECT_NE(all[0].lane, all[1].lane);
}

// In a child: it leaves no room in its process.
TEST_F(NvtxDomains, MoreDomainsThanTheTableHolds) {
  const auto fill = [] {
    std::vector<nvtxDomainHandle_t> handles;
    const auto event = attributes("late");
    for (int i = 0; i < 300; ++i)
      handles.push_back(nvtxDomainCreateA(("many " + std::to_string(i)).c_str()));
    EXPECT_EQ(handles[298], handles[299]);
    nvtxDomainMarkEx(handles[299], &event);
    EXPECT_EQ(only(What::mark)[0].category, "(further domains)");
    EXPECT_EQ(only(What::note).size(), 1u);
    EXPECT_EQ(nvtxDomainCreateA("many 0"), handles[0]);
    _exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stepscope

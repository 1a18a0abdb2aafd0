// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExtSync.h>

#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NvtxSync = NvtxClient;

TEST_F(NvtxSync, UserLocksBecomeWaits) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("locks");
  nvtxSyncUserAttributes_t attribute{};
  attribute.version = NVTX_VERSION;
  attribute.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
  attribute.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attribute.message.ascii = "queue";
  nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &attribute);
  ASSERT_NE(lock, nullptr);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserDestroy(lock);
  attribute.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attribute.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxSyncUser_t other = nvtxDomainSyncUserCreate(domain, &attribute);
  nvtxDomainSyncUserAcquireStart(other);
  nvtxDomainSyncUserAcquireSuccess(other);
  EXPECT_THAT(story(),
              ElementsAre("begin acquire queue @locks", "end", "begin acquire queue @locks", "end",
                          "begin acquire registered @locks", "end"));
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// What NCCL says of its calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/nvtx/nccl_payload.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NcclMessage = NvtxClient;

TEST_F(NcclMessage, AnNcclCallSaysWhatItSends) {
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  EXPECT_EQ(register_all_reduce(nccl), kAllReduceId);
  EXPECT_NE(nvtxDomainIsEnabled(nccl), 0);
  const AllReduce values{0xfeedbeef12345678, 1 << 20, 2};
  const nvtxPayloadData_t data{kAllReduceId, sizeof values, &values};
  const nvtxEventAttributes_t event = with_payload("ncclAllReduce", data);
  nvtxDomainRangePushEx(nccl, &event);
  nvtxDomainRangePop(nccl);
  EXPECT_THAT(story(), ElementsAre("begin ncclAllReduce @NCCL", "collective", "end"));
  const auto said = only(What::collective)[0];
  EXPECT_EQ(said.lane, only(What::begin)[0].lane);
  EXPECT_EQ(said.message.communicator, 0xfeedbeef12345678U);
  EXPECT_EQ(said.message.bytes, 1U << 20U);
  EXPECT_EQ(said.message.reduce, ReduceOperation::maximum);
  EXPECT_EQ(said.message.peer, kNone);
}

// A reduce has both a root and an operation, and this one is the program's own.
TEST_F(NcclMessage, RootsPeersAndOwnReductionsOfNccl) {
  struct Reduce {
    std::uint64_t comm;
    std::size_t bytes;
    int root;
    std::uint32_t op;
  };
  constexpr std::uint64_t kReduceId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 7;
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  nvtxPayloadSchemaEntry_t entries[4]{};
  const std::uint64_t types[] = {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, NVTX_PAYLOAD_ENTRY_TYPE_SIZE,
                                 NVTX_PAYLOAD_ENTRY_TYPE_INT, NVTX_PAYLOAD_ENTRY_TYPE_UINT32};
  const char* names[] = {"NCCL communicator ID", "Message size [bytes]", "Root",
                         "Reduction operation"};
  for (int i = 0; i < 4; ++i) entries[i].type = types[i], entries[i].name = names[i];
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.entries = entries;
  schema.numEntries = 4;
  schema.schemaId = kReduceId;
  EXPECT_EQ(nvtxPayloadSchemaRegister(nccl, &schema), kReduceId);
  const Reduce values{7, 512, 3, 9};
  const nvtxPayloadData_t data{kReduceId, sizeof values, &values};
  nvtxRangePushPayload(nccl, &data, 1);
  nvtxDomainRangePop(nccl);
  ASSERT_EQ(only(What::collective).size(), 1U);
  const recorder::Message said = only(What::collective)[0].message;
  EXPECT_EQ(said.communicator, 7U);
  EXPECT_EQ(said.bytes, 512U);
  EXPECT_EQ(said.peer, 3U);
  EXPECT_EQ(said.reduce, ReduceOperation::other);
}

// Too short for its last field, whose value is then not known.
TEST_F(NcclMessage, ACutNcclPayloadIsReadAsFarAsItGoes) {
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  register_all_reduce(nccl);
  const AllReduce values{7, 64, 1};
  const nvtxPayloadData_t data{kAllReduceId, offsetof(AllReduce, op), &values};
  nvtxRangePushPayload(nccl, &data, 1);
  nvtxDomainRangePop(nccl);
  ASSERT_EQ(only(What::collective).size(), 1U);
  EXPECT_EQ(only(What::collective)[0].message.bytes, 64U);
  EXPECT_EQ(only(What::collective)[0].message.reduce, ReduceOperation::none);
}

}  // namespace
}  // namespace stepscope

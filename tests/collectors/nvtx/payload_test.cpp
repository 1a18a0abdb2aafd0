// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/nvtx/nccl_payload.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

using NvtxPayload = NvtxClient;

// A communicator's begin sends nothing: its values stay a mark. So do those of an NVTX mark, which
// no range belongs to.
TEST_F(NvtxPayload, NcclPayloadsThatAreNoMessageOfARangeAreMarks) {
  struct Init {
    std::uint64_t comm;
    int ranks;
  };
  constexpr std::uint64_t kInitId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 8;
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  nvtxPayloadSchemaEntry_t entries[2]{};
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entries[0].name = "NCCL communicator ID";
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_INT;
  entries[1].name = "No. of ranks";
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.entries = entries;
  schema.numEntries = 2;
  schema.schemaId = kInitId;
  nvtxPayloadSchemaRegister(nccl, &schema);
  register_all_reduce(nccl);
  const Init init{7, 8};
  const nvtxPayloadData_t data{kInitId, sizeof init, &init};
  const auto begun = attributes("ncclCommInitRank");
  nvtxDomainRangePushEx(nccl, &begun);
  nvtxRangePopPayload(nccl, &data, 1);
  const AllReduce values{7, 64, 0};
  const nvtxPayloadData_t sent{kAllReduceId, sizeof values, &values};
  const nvtxEventAttributes_t event = with_payload("a mark", sent);
  nvtxDomainMarkEx(nccl, &event);
  EXPECT_THAT(story(),
              ElementsAre("begin ncclCommInitRank @NCCL",
                          "mark payload NCCL: NCCL communicator ID=7, No. of ranks=8 @NCCL", "end",
                          "mark a mark @NCCL",
                          "mark payload NCCL: NCCL communicator hash=0x7, Message size "
                          "[bytes]=64, Reduction operation=0 @NCCL"));
}

TEST_F(NvtxPayload, PushAndPopWithPayloadNeverDrift) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("payloads");
  register_all_reduce(domain);
  const AllReduce values{};
  const nvtxPayloadData_t data{kAllReduceId, sizeof values, &values};
  const nvtxPayloadData_t unknown{kAllReduceId + 99, 8, &values};
  const auto event = attributes("init");
  nvtxDomainRangePushEx(domain, &event);      // NCCL's comm init: pushed plainly,
  nvtxRangePushPayload(domain, &data, 1);     // nested with a payload alone
  nvtxRangePushPayload(domain, &unknown, 1);  // a schema that nobody registered
  nvtxRangePushPayload(domain, nullptr, 0);
  nvtxRangePopPayload(domain, nullptr, 0);
  nvtxRangePopPayload(domain, &unknown, 1);
  nvtxDomainRangePop(domain);
  nvtxRangePopPayload(domain, &data, 1);  // popped with one
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain, &data, 1);
  nvtxRangeEndPayload(domain, id, &data, 1);
  nvtxMarkPayload(domain, &data, 1);
  EXPECT_THAT(story(), ElementsAre("begin init @payloads", "begin AllReduce @payloads",
                                   "begin (unnamed) @payloads", "begin (unnamed) @payloads", "end",
                                   "end", "end", "end", "begin_process AllReduce @payloads",
                                   "end_process", "mark AllReduce @payloads"));
}

TEST_F(NvtxPayload, EventMessageOfAPayload) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("messages");
  nvtxPayloadSchemaEntry_t entry{};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
  entry.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  schema.entries = &entry;
  schema.numEntries = 1;
  const std::uint64_t id = nvtxPayloadSchemaRegister(domain, &schema);
  EXPECT_GE(id, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  const char* text = "from the payload";
  const nvtxPayloadData_t data{id, sizeof text, &text};
  nvtxRangePushPayload(domain, &data, 1);
  nvtxRangePopPayload(domain, nullptr, 0);
  EXPECT_THAT(story(), ElementsAre("begin from the payload @messages", "end"));
}

}  // namespace
}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// A payload as NCCL hands it to NVTX.
#pragma once

#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>
#include <cstdint>

#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {

struct AllReduce {
  std::uint64_t comm;
  std::size_t bytes;
  std::uint32_t op;
};
inline constexpr std::uint64_t kAllReduceId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;

inline std::uint64_t register_all_reduce(nvtxDomainHandle_t domain) {
  nvtxPayloadSchemaEntry_t entries[3]{};
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entries[0].name = "NCCL communicator hash";
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_SIZE;
  entries[1].name = "Message size [bytes]";
  entries[1].offset = offsetof(AllReduce, bytes);
  entries[2].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32;
  entries[2].name = "Reduction operation";  // its offset is left to natural alignment
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.name = "AllReduce";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 3;
  schema.schemaId = kAllReduceId;
  return nvtxPayloadSchemaRegister(domain, &schema);
}

inline nvtxEventAttributes_t with_payload(const char* name, const nvtxPayloadData_t& data) {
  nvtxEventAttributes_t event = attributes(name);
  event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  event.reserved0 = 1;
  event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
  return event;
}

}  // namespace stepscope

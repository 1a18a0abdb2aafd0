// SPDX-License-Identifier: Apache-2.0
// Our own declarations of the NVTX interface against the real headers: layouts at compile time,
// slot and type numbers one by one.
#include "collectors/nvtx/nvtx_abi.hpp"

#include <cstddef>

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>
#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)  // not in the PyPI package
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#define STEPSCOPE_TEST_CUDA_NAMES
#endif

namespace stepscope::nvtx {
namespace {

#define SAME_MEMBER(ours, our_member, theirs, their_member) \
  static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member))

static_assert(sizeof(EventAttributes) == sizeof(nvtxEventAttributes_t));
SAME_MEMBER(EventAttributes, category, nvtxEventAttributes_t, category);
SAME_MEMBER(EventAttributes, payload_type, nvtxEventAttributes_t, payloadType);
SAME_MEMBER(EventAttributes, reserved, nvtxEventAttributes_t, reserved0);
SAME_MEMBER(EventAttributes, payload, nvtxEventAttributes_t, payload);
SAME_MEMBER(EventAttributes, message_type, nvtxEventAttributes_t, messageType);
SAME_MEMBER(EventAttributes, message, nvtxEventAttributes_t, message);

static_assert(sizeof(ResourceAttributes) == sizeof(nvtxResourceAttributes_t));
SAME_MEMBER(ResourceAttributes, identifier_type, nvtxResourceAttributes_t, identifierType);
SAME_MEMBER(ResourceAttributes, identifier, nvtxResourceAttributes_t, identifier);
SAME_MEMBER(ResourceAttributes, message, nvtxResourceAttributes_t, message);

static_assert(sizeof(SyncAttributes) == sizeof(nvtxSyncUserAttributes_t));
SAME_MEMBER(SyncAttributes, message_type, nvtxSyncUserAttributes_t, messageType);
SAME_MEMBER(SyncAttributes, message, nvtxSyncUserAttributes_t, message);

static_assert(sizeof(ExportCallbacks) == sizeof(NvtxExportTableCallbacks));
SAME_MEMBER(ExportCallbacks, module_table, NvtxExportTableCallbacks, GetModuleFunctionTable);

static_assert(sizeof(ExtensionInfo) == sizeof(nvtxExtModuleInfo_t));
SAME_MEMBER(ExtensionInfo, module, nvtxExtModuleInfo_t, moduleId);
SAME_MEMBER(ExtensionInfo, segment_count, nvtxExtModuleInfo_t, segmentsCount);
SAME_MEMBER(ExtensionInfo, segments, nvtxExtModuleInfo_t, segments);
static_assert(sizeof(ExtensionSegment) == sizeof(nvtxExtModuleSegment_t));
SAME_MEMBER(ExtensionSegment, slot_count, nvtxExtModuleSegment_t, slotCount);
SAME_MEMBER(ExtensionSegment, slots, nvtxExtModuleSegment_t, functionSlots);

static_assert(sizeof(PayloadData) == sizeof(nvtxPayloadData_t));
SAME_MEMBER(PayloadData, schema, nvtxPayloadData_t, schemaId);
SAME_MEMBER(PayloadData, payload, nvtxPayloadData_t, payload);
static_assert(sizeof(SchemaEntry) == sizeof(nvtxPayloadSchemaEntry_t));
SAME_MEMBER(SchemaEntry, flags, nvtxPayloadSchemaEntry_t, flags);
SAME_MEMBER(SchemaEntry, type, nvtxPayloadSchemaEntry_t, type);
SAME_MEMBER(SchemaEntry, name, nvtxPayloadSchemaEntry_t, name);
SAME_MEMBER(SchemaEntry, offset, nvtxPayloadSchemaEntry_t, offset);
static_assert(sizeof(SchemaAttributes) == sizeof(nvtxPayloadSchemaAttr_t));
SAME_MEMBER(SchemaAttributes, name, nvtxPayloadSchemaAttr_t, name);
SAME_MEMBER(SchemaAttributes, entries, nvtxPayloadSchemaAttr_t, entries);
SAME_MEMBER(SchemaAttributes, entry_count, nvtxPayloadSchemaAttr_t, numEntries);
SAME_MEMBER(SchemaAttributes, id, nvtxPayloadSchemaAttr_t, schemaId);
static_assert(sizeof(EnumAttributes) == sizeof(nvtxPayloadEnumAttr_t));
SAME_MEMBER(EnumAttributes, enum_size, nvtxPayloadEnumAttr_t, sizeOfEnum);
SAME_MEMBER(EnumAttributes, id, nvtxPayloadEnumAttr_t, schemaId);

TEST(NvtxAbi, ModulesAndTypes) {
  EXPECT_EQ(kCore, NVTX_CB_MODULE_CORE);
  EXPECT_EQ(kCore2, NVTX_CB_MODULE_CORE2);
  EXPECT_EQ(kSync, NVTX_CB_MODULE_SYNC);
  EXPECT_EQ(kCuda, NVTX_CB_MODULE_CUDA);
  EXPECT_EQ(kCudart, NVTX_CB_MODULE_CUDART);
  EXPECT_EQ(kExportCallbacks, static_cast<std::uint32_t>(NVTX_ETID_CALLBACKS));
  EXPECT_EQ(kMessageText, NVTX_MESSAGE_TYPE_ASCII);
  EXPECT_EQ(kMessageWide, NVTX_MESSAGE_TYPE_UNICODE);
  EXPECT_EQ(kMessageRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
  EXPECT_EQ(kNoPushPopTracking, NVTX_NO_PUSH_POP_TRACKING);
}

TEST(NvtxAbi, Resources) {
  EXPECT_EQ(kResourceThreadNative, NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE);
#ifdef STEPSCOPE_TEST_CUDA_NAMES
  EXPECT_EQ(kResourceCuDevice, NVTX_RESOURCE_TYPE_CUDA_DEVICE);
  EXPECT_EQ(kResourceCuContext, NVTX_RESOURCE_TYPE_CUDA_CONTEXT);
  EXPECT_EQ(kResourceCuStream, NVTX_RESOURCE_TYPE_CUDA_STREAM);
  EXPECT_EQ(kResourceCuEvent, NVTX_RESOURCE_TYPE_CUDA_EVENT);
  EXPECT_EQ(kResourceCudaDevice, NVTX_RESOURCE_TYPE_CUDART_DEVICE);
  EXPECT_EQ(kResourceCudaStream, NVTX_RESOURCE_TYPE_CUDART_STREAM);
  EXPECT_EQ(kResourceCudaEvent, NVTX_RESOURCE_TYPE_CUDART_EVENT);
#endif
}

TEST(NvtxAbi, PayloadExtension) {
  EXPECT_EQ(kPayloadModule, NVTX_EXT_PAYLOAD_MODULEID);
  EXPECT_EQ(kPayloadExtension, NVTX_PAYLOAD_TYPE_EXT);
  EXPECT_EQ(kSchemaRegister, NVTX3EXT_CBID_nvtxPayloadSchemaRegister);
  EXPECT_EQ(kEnumRegister, NVTX3EXT_CBID_nvtxPayloadEnumRegister);
  EXPECT_EQ(kMarkPayload, NVTX3EXT_CBID_nvtxMarkPayload);
  EXPECT_EQ(kRangePushPayload, NVTX3EXT_CBID_nvtxRangePushPayload);
  EXPECT_EQ(kRangePopPayload, NVTX3EXT_CBID_nvtxRangePopPayload);
  EXPECT_EQ(kRangeStartPayload, NVTX3EXT_CBID_nvtxRangeStartPayload);
  EXPECT_EQ(kRangeEndPayload, NVTX3EXT_CBID_nvtxRangeEndPayload);
  EXPECT_EQ(kDomainIsEnabled, NVTX3EXT_CBID_nvtxDomainIsEnabled);
  EXPECT_EQ(kSchemaName, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME);
  EXPECT_EQ(kSchemaEntries, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES);
  EXPECT_EQ(kSchemaEntryCount, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES);
  EXPECT_EQ(kSchemaId, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID);
  EXPECT_EQ(kEnumSize, NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE);
  EXPECT_EQ(kEnumId, NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID);
  EXPECT_EQ(kDynamicSchemaStart, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_EQ(kEntryEventMessage, NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE);
  EXPECT_EQ(kEntryIndirect & NVTX_PAYLOAD_ENTRY_FLAG_POINTER, NVTX_PAYLOAD_ENTRY_FLAG_POINTER);
  EXPECT_EQ(kEntryIndirect & NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX,
            NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX);
}

}  // namespace
}  // namespace stepscope::nvtx

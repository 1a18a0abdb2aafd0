// SPDX-License-Identifier: Apache-2.0
// The binary interface between an NVTX v3 client and a tool, declared by us from the public
// description of NVTX (module, slot and type numbers are fixed for good there), so that the
// injected library builds where no CUDA toolkit is. tests/collectors/nvtx compares every number
// here with the real headers.
//
// An NVTX client is header-only: each shared object holds an instance, which at its first call
// loads NVTX_INJECTION64_PATH and calls InitializeInjectionNvtx2 with a getter of export tables.
// The table of a module is an array of pointers to function pointers, which the tool overwrites;
// slot 0 is unused. Extensions do the same with InitializeInjectionNvtxExtension and plain slots,
// from 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::nvtx {

using Function = void (*)();
using GetExportTable = const void* (*)(std::uint32_t table);

inline constexpr std::uint32_t kExportCallbacks = 1;

struct ExportCallbacks {
  std::size_t struct_size;
  int (*module_table)(int module, Function*** table, unsigned* size);
};

enum Module : int { kCore = 1, kCuda = 2, kCudart = 4, kCore2 = 5, kSync = 6 };

union Message {
  const char* text;
  const wchar_t* wide;
  const void* registered;
};
enum MessageType : std::int32_t { kMessageNone, kMessageText, kMessageWide, kMessageRegistered };

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;  // number of payloads, for kPayloadExtension
  std::uint64_t payload;  // address of a PayloadData array, for kPayloadExtension
  std::int32_t message_type;
  Message message;
};

struct ResourceAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::int32_t identifier_type;
  std::uint64_t identifier;
  std::int32_t message_type;
  Message message;
};

struct SyncAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::int32_t message_type;
  Message message;
};

// ResourceAttributes::identifier_type: class << 16 | index.
inline constexpr std::int32_t kResourceThreadNative = 1 << 16 | 3;
inline constexpr std::int32_t kResourceCuDevice = 4 << 16 | 1;
inline constexpr std::int32_t kResourceCuContext = 4 << 16 | 2;
inline constexpr std::int32_t kResourceCuStream = 4 << 16 | 3;
inline constexpr std::int32_t kResourceCuEvent = 4 << 16 | 4;
inline constexpr std::int32_t kResourceCudaDevice = 5 << 16 | 0;
inline constexpr std::int32_t kResourceCudaStream = 5 << 16 | 1;
inline constexpr std::int32_t kResourceCudaEvent = 5 << 16 | 2;

// What push and pop return where nobody tracks depth, a tool or none. We always return it, so that
// a program sees the same with and without us.
inline constexpr int kNoPushPopTracking = -2;

// --- the payload extension ---

inline constexpr std::uint16_t kPayloadModule = 2;
inline constexpr std::int32_t kPayloadExtension = static_cast<std::int32_t>(0xDFBD0009);

struct ExtensionSegment {
  std::size_t id;
  std::size_t slot_count;
  std::intptr_t* slots;
};
struct ExtensionInfo {
  std::uint16_t nvtx_version;
  std::uint16_t struct_size;
  std::uint16_t module;
  std::uint16_t compatibility;
  std::size_t segment_count;
  ExtensionSegment* segments;
  std::intptr_t (*export_function)(std::uint32_t);
  const void* info;
};

enum PayloadSlot : std::size_t {
  kSchemaRegister,
  kEnumRegister,
  kMarkPayload,
  kRangePushPayload,
  kRangePopPayload,
  kRangeStartPayload,
  kRangeEndPayload,
  kDomainIsEnabled,
};

struct PayloadData {
  std::uint64_t schema;
  std::size_t size;  // SIZE_MAX: find it out
  const void* payload;
};

struct SchemaEntry {
  std::uint64_t flags;
  std::uint64_t type;
  const char* name;
  const char* description;
  std::uint64_t detail;
  std::uint64_t offset;  // 0: by natural alignment
  const void* semantics;
  const void* reserved;
};
struct SchemaAttributes {
  std::uint64_t fields;  // which members below are valid: bit kSchemaName and so on
  const char* name;
  std::uint64_t type;
  std::uint64_t flags;
  const SchemaEntry* entries;
  std::size_t entry_count;
  std::size_t static_size;
  std::size_t pack_align;
  std::uint64_t id;
  void* extension;
};
struct EnumAttributes {
  std::uint64_t fields;
  const char* name;
  const void* entries;
  std::size_t entry_count;
  std::size_t enum_size;
  std::uint64_t id;
  void* extension;
};
inline constexpr std::uint64_t kSchemaName = 1 << 1, kSchemaEntries = 1 << 4,
                               kSchemaEntryCount = 1 << 5, kSchemaId = 1 << 8;
inline constexpr std::uint64_t kEnumSize = 1 << 4, kEnumId = 1 << 5;
inline constexpr std::uint64_t kDynamicSchemaStart = std::uint64_t{1} << 32;

inline constexpr std::uint64_t kEntryIndirect = 0xFE;  // pointer, offset or array flags
inline constexpr std::uint64_t kEntryEventMessage = 1 << 10;
inline constexpr std::uint64_t kEntrySpecialMask = 3 << 10;

}  // namespace stepscope::nvtx

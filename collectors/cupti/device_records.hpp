// SPDX-License-Identifier: Apache-2.0
// From CUPTI's records to rows of the model. Names and launch configurations are interned once
// each; a record without a time is counted and gives no row.
//
// A kernel's name is a pointer that stays the same while its module is loaded and may be another
// kernel's later: what is known of a pointer is compared with its text each time.
#pragma once

#include <string>
#include <unordered_map>

#include "collectors/cupti/cupti_library.hpp"
#include "core/store/batch.hpp"
#include "core/store/writer.hpp"

namespace stepscope::cupti {

class DeviceRecords {
 public:
  // Decodes a whole buffer. Bytes behind a record that the library cannot read are left out.
  void decode(const Library& library, std::uint8_t* data, std::size_t valid_bytes,
              EventBatch& batch, StoreWriter& store);

  // Devices of the process that had records, a bit each.
  std::uint64_t devices() const { return devices_; }
  std::uint64_t records() const { return records_; }
  std::int64_t last_end() const { return last_end_; }  // of the device's ops; 0: none yet
  std::uint64_t zero_timestamps() const { return zero_timestamps_; }

 private:
  struct Op;
  struct HostWork;
  struct KnownName {
    std::string text;
    StringId id = 0;
  };
  void add_record(const void* record, EventBatch& batch, StoreWriter& store);
  void add_kernel(const KernelRecord& record, EventBatch& batch, StoreWriter& store);
  void add_memcpy(const MemcpyRecord& record, EventBatch& batch, StoreWriter& store);
  void add_peer_copy(const PeerCopyRecord& record, EventBatch& batch, StoreWriter& store);
  void add_memset(const MemsetRecord& record, EventBatch& batch, StoreWriter& store);
  void add_overhead(const OverheadRecord& record, EventBatch& batch, StoreWriter& store);
  void add_jit(const JitRecord& record, EventBatch& batch, StoreWriter& store);
  void add_host(const HostWork& work, EventBatch& batch, StoreWriter& store);
  void add(const Op& op, EventBatch& batch, StoreWriter& store);
  StringId kernel_name(const char* name, StoreWriter& store);

  std::unordered_map<const char*, KnownName> names_;
  std::uint64_t devices_ = 0;
  std::uint64_t records_ = 0;
  std::int64_t last_end_ = 0;
  std::uint64_t zero_timestamps_ = 0;
};

}  // namespace stepscope::cupti

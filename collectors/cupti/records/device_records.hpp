// SPDX-License-Identifier: Apache-2.0
// Converts CUPTI's records to rows of the model. Names and launch configurations are interned once
// each; a record without a time is counted and gives no row.
//
// A kernel's name is a pointer that stays the same while its module is loaded and may be another
// kernel's later: what is known of a pointer is compared with its text each time.
#pragma once

#include <array>
#include <string>
#include <unordered_map>

#include "collectors/cupti/library/cupti_library.hpp"
#include "core/store/writer/batch.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope::cupti {

class DeviceRecords {
 public:
  // Decodes a whole buffer. Bytes behind a record that the library cannot read are left out.
  void decode(const Library& library, std::uint8_t* data, std::size_t valid_bytes,
              EventBatch& batch, StoreWriter& store);

  // Devices of the process that had records, a bit each.
  std::uint64_t devices() const { return devices_; }
  std::uint64_t records() const { return records_; }
  std::uint32_t last_graph_launch() const { return last_graph_launch_; }  // correlation id; 0: none
  std::int64_t last_end() const { return last_end_; }  // the latest end of a device op; 0: none yet
  std::uint64_t zero_timestamps() const { return zero_timestamps_; }

 private:
  static constexpr std::size_t kCopyKinds = static_cast<std::size_t>(CopyKind::peer) + 1;
  static constexpr std::size_t kMemoryKinds = static_cast<std::size_t>(MemoryKind::managed) + 1;
  struct Op;
  struct HostWork;
  struct KnownKernel {
    std::string text;
    StringId id = 0;
    LaunchConfig config{};  // configuration of its last launch
    LaunchConfigId config_id = kNone;
    // The memory of a name may hold another one once its module was unloaded: compared once a
    // buffer, whose records' names all stand while it is read.
    std::uint64_t compared_in = 0;
  };
  struct KnownStream {
    std::uint32_t device = 0, context = 0, stream = 0;
    StreamId id = kNone;
  };
  void add_record(const void* record, EventBatch& batch, StoreWriter& store);
  void add_kernel(const KernelRecord& record, EventBatch& batch, StoreWriter& store);
  void add_memcpy(const MemcpyRecord& record, EventBatch& batch, StoreWriter& store);
  void add_peer_copy(const PeerCopyRecord& record, EventBatch& batch, StoreWriter& store);
  void add_memset(const MemsetRecord& record, EventBatch& batch, StoreWriter& store);
  void add_graph(const GraphRecord& record, EventBatch& batch, StoreWriter& store);
  void add_overhead(const OverheadRecord& record, EventBatch& batch, StoreWriter& store);
  void add_jit(const JitRecord& record, EventBatch& batch, StoreWriter& store);
  void add_host(const HostWork& work, EventBatch& batch, StoreWriter& store);
  void add(const Op& op, EventBatch& batch, StoreWriter& store);
  KnownKernel& kernel_of(const char* name, StoreWriter& store);
  StreamId stream_of(const Op& op, StoreWriter& store);
  StringId copy_name(CopyKind kind, MemoryKind source, MemoryKind target, StoreWriter& store);
  StringId set_name(MemoryKind target, StoreWriter& store);

  std::unordered_map<const char*, KnownKernel> kernels_;
  std::uint64_t buffers_ = 0;
  std::array<KnownStream, 8> streams_{};  // streams of the last records
  std::size_t next_stream_ = 0;
  // By kinds of copy, source and target; 0: not yet named.
  std::array<std::array<std::array<StringId, kMemoryKinds>, kMemoryKinds>, kCopyKinds> copies_{};
  std::array<StringId, kMemoryKinds> sets_{};
  std::uint64_t devices_ = 0;
  std::uint64_t records_ = 0;
  std::int64_t last_end_ = 0;
  std::uint32_t last_graph_launch_ = 0;
  std::uint64_t zero_timestamps_ = 0;
};

}  // namespace stepscope::cupti

// SPDX-License-Identifier: Apache-2.0
// A CUPTI that does what a test says: it remembers what was enabled, hands callbacks over, and
// returns buffers of hand-made records.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

using FakeRecord = std::variant<KernelRecord, MemcpyRecord, PeerCopyRecord, MemsetRecord,
                                OverheadRecord, CallRecord, JitRecord, GraphRecord>;

namespace fake_cupti {

// Records that a test hands over and the recorder's writer thread takes at a flush.
class WaitingRecords {
 public:
  WaitingRecords& operator=(std::vector<FakeRecord> records) {
    const std::scoped_lock hold(lock_);
    records_ = std::move(records);
    return *this;
  }
  void push_back(FakeRecord record) {
    const std::scoped_lock hold(lock_);
    records_.push_back(std::move(record));
  }
  std::size_t size() const {
    const std::scoped_lock hold(lock_);
    return records_.size();
  }
  std::vector<FakeRecord> take() {
    const std::scoped_lock hold(lock_);
    return std::exchange(records_, {});
  }

 private:
  mutable std::mutex lock_;
  std::vector<FakeRecord> records_;
};

struct State {
  Status subscribe_status = kSuccess;
  std::uint32_t version = 130001;
  std::set<ActivityKind> refused;
  bool subscribed = false;
  Callback callback = nullptr;
  RequestBuffer request = nullptr;
  CompleteBuffer complete = nullptr;
  std::set<ActivityKind> enabled, ever_enabled;
  std::set<std::pair<std::uint32_t, std::uint32_t>> callbacks;  // domain, id
  std::uint8_t* buffer = nullptr;  // asked for at the first call, as CUPTI does
  std::size_t buffer_bytes = 0;
  WaitingRecords waiting;  // given out at the next flush
  std::atomic<std::size_t> flushes = 0;
  std::size_t dropped = 0;
  std::set<std::uint32_t> unknown_resources;  // callback ids that this CUPTI does not have
  std::uint32_t correlation = 0;
  int open_calls = 0;
  // As CUPTI names them; domain, id. The listed calls need not be here.
  std::map<std::pair<std::uint32_t, std::uint32_t>, const char*> names = {
      {{1, 0}, "INVALID"},
      {{1, 14}, "cuCtxSynchronize_v2"},
      {{1, 45}, "cuMemGetInfo_v2"},
      {{1, 304}, "cuCtxGetCurrent"},
      {{1, 309}, "cuProfilerStop"},
      {{2, 17}, "cudaGetDevice_v3020"},
      {{2, 164}, "cudaDeviceReset_v3020"},
      {{2, 211}, "cudaLaunchKernel_v7000"},
      {{2, 172}, "cudaProfilerStop_v4000"},
      {{2, 409}, "cudaMemPrefetchAsync_v2_ptsz_v12020"},
  };

  void flush();
};
State& state();

Library library();
std::vector<std::uint8_t> buffer_of(const std::vector<FakeRecord>& records);

KernelRecord kernel(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t stream,
                    std::uint32_t correlation);
MemcpyRecord copy(std::uint8_t kind, std::uint8_t source, std::uint8_t target, std::uint64_t bytes,
                  std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
MemsetRecord set(std::uint64_t bytes, std::uint64_t start, std::uint64_t end,
                 std::uint32_t correlation);

GraphRecord graph(std::uint32_t number, std::uint64_t start, std::uint64_t end,
                  std::uint32_t correlation);

// Entry and exit of a call, as the driver would make them, where its callback is enabled. `inside`
// runs between the two; a call made there has the outer one's correlation id. Returns it.
std::uint32_t call(Domain domain, std::uint32_t id, const void* parameters,
                   const std::function<void()>& inside = {});

// A node of a graph is created, and is then said to be a clone where there is an original.
void make_node(std::uintptr_t node, std::uintptr_t original = 0);

}  // namespace fake_cupti
}  // namespace stepscope::cupti

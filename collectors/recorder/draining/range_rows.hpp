// SPDX-License-Identifier: Apache-2.0
// Host ranges as rows of a batch. A range has its row from its begin on, so rows lie in the order
// of begins; one that is still open when the batch is written is taken out again and given as an
// open range, and gets a row of a later batch when it ends.
#pragma once

#include <cstdint>

#include "collectors/recorder/live_files/shared_layout.hpp"
#include "core/store/writer/batch.hpp"

namespace stepscope::recorder {

struct OpenRange {
  std::int64_t begin = 0;
  StringId name = 0;
  StringId category = 0;
  SiteId site = kNone;
  std::uint32_t sequence = kNoSequence;
  std::uint32_t forward_thread = kNone;
  HostKind kind = HostKind::other;
  ThreadId thread = 0;
  std::uint32_t row = kNone;  // kNone: not in this batch
  bool is_call = false;       // then call is set, but for its range
  CallSlot call{};
  ApiKind api = ApiKind::other;
  StreamId stream = kNone;
  bool has_message = false;
  CollectiveSlot message{};
  std::uint32_t peer = kNone;
  ReduceOperation reduce = ReduceOperation::none;
};

class RangeRows {
 public:
  explicit RangeRows(EventBatch& batch) : batch_(batch) {}

  void begin(OpenRange& range);  // gives it its row
  void whole(const OpenRange& range, std::int64_t end);
  void end(const OpenRange& range, std::int64_t time);
  // Takes the rows of open ranges out of the batch before it is written ...
  void remove_open();
  // ... and each is listed instead.
  void list_open(OpenRange& range, std::uint32_t lane);

 private:
  std::uint32_t add(const OpenRange& range, std::int64_t end);
  void add_call(const OpenRange& range, std::uint32_t row);
  void add_collective(const OpenRange& range, std::uint32_t row);

  EventBatch& batch_;
};

}  // namespace stepscope::recorder

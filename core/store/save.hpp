// SPDX-License-Identifier: Apache-2.0
// Writes a whole Trace as one store file: for `import`, tests and benchmarks. Collectors use
// StoreWriter.
#pragma once

#include <functional>
#include <string>

#include "core/model/trace.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope {

struct SaveOptions {
  StoreOptions store;
  std::size_t batch_rows = 1U << 16U;  // host ranges, and device ops, a chunk
};

// Tells `store` all facts and hands the events over batch by batch, in order, with ids of `store`.
using BatchSink = std::function<Status(const EventBatch&)>;
Status for_each_batch(const TraceData& data, std::size_t batch_rows, StoreWriter& store,
                      const BatchSink& sink);

// The file's processes beyond the first keep their pids. Health and collected are taken over as
// they are.
Status save(const Trace& trace, const std::string& path, const SaveOptions& options = {});

}  // namespace stepscope

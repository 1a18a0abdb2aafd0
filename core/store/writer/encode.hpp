// SPDX-License-Identifier: Apache-2.0
// From a batch's tables to sections of a chunk's payload, by the column list in columns.hpp.
#pragma once

#include "core/store/writer/batch.hpp"
#include "core/store/writer/byte_sink.hpp"

namespace stepscope::store {

// Returns what is wrong with a batch (columns of different lengths, too many rows), or nullptr.
const char* check(const EventBatch& batch);

// Appends a section for each table that has rows; sets the header's row counts and time span.
// as_listed: those of the batch, if any. none: ranges were open before, so that none are now must
// be said by an empty section. unchanged: the same as in the chunk before, which needs no section.
enum class OpenNow { as_listed, none, unchanged };
void encode_batch(const EventBatch& batch, OpenNow open, ByteSink& out, ChunkHeader& header);

}  // namespace stepscope::store

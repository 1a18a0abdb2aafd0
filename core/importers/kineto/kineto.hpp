// SPDX-License-Identifier: Apache-2.0
// Reads PyTorch profiler (Kineto) traces, .json and .json.gz, of any size.
//
// The file passes through one sliding window (1 MiB, grown only for a single larger event), so
// memory is the model's plus the window. Times are decimal microseconds and become integer
// nanoseconds digit by digit; baseTimeNanoseconds is added. Fields that are absent or unreadable
// are counted in Health::missing_fields and left unknown; events of unknown kind in
// Health::skipped_events, their categories in Health::notes.
//
// A file that ends early is an error, never a shorter trace: Kineto writes one category after the
// other, so a cut file lacks whole kinds of events and every conclusion from it would be wrong.
//
// What is not taken over: flows (launches are linked by correlation, backward nodes by sequence
// number), gpu_user_annotation (a summary of the kernels under a host range; it is no device work),
// tensor shapes.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/importers/kineto/category.hpp"
#include "core/model/trace.hpp"
#include "core/support/memory_room.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

struct KinetoOptions {
  std::size_t window_bytes = std::size_t{1} << 20U;  // start size; tests use tiny ones
  kineto::CategoryCounts* counts = nullptr;          // where given: events seen, by category
  MemoryRoom room{};                                 // tests have little
};

// Errors: io (cannot open or read), bad_input (not JSON, not Kineto, cut or damaged; with the
// byte), unsupported (more than there is memory for).
Result<TraceData> read_kineto(const std::filesystem::path& path, const Progress& progress = {},
                              const KinetoOptions& options = {});

// A Chrome trace of another tool is read as one of which all was left out: this says so. Its message
// comes without the file's name.
Status check_holds_events(const TraceData& data);

// True for a file that is named .json or .json.gz, is gzip, or whose text begins like a JSON
// document: read_kineto then says what, if anything, is wrong with it. False for files that cannot
// be opened.
bool sniff_kineto(const std::filesystem::path& path);

}  // namespace stepscope

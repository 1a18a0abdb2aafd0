// SPDX-License-Identifier: Apache-2.0
// Reads store files: one .sst, or a NAME.scope folder with run.json and one .sst a process.
//
// A damaged or torn file loads every sound chunk; what is lost is counted in Health and said in a
// note. Errors: io (cannot open or read), bad_input (no store file, empty, too short, no process
// file in the folder), unsupported (a newer format; more events than row numbers or this machine's
// memory hold).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/trace.hpp"
#include "core/store/reader/byte_source.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

Result<TraceData> read_sst(const std::filesystem::path& path, const Progress& progress = {});
Result<TraceData> read_scope(const std::filesystem::path& folder, const Progress& progress = {});

// The rank that a file of a folder tells; -1: it tells none. A file holds one process.
struct FileOfRank {
  std::filesystem::path path;
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::string problem;  // why it cannot be read
};
// The summary of a rank stands beside its file as "rank3.summary" (core/summary/job).
inline constexpr std::string_view kRankSummary = ".summary";
// Every file of the folder, by name, of which no more is read than its head: its first chunk, and some
// megabytes where there are several files and that one names no rank.
Result<std::vector<FileOfRank>> ranks_of_scope(const std::filesystem::path& folder);
// These files of a folder alone, as if it held no others.
Result<TraceData> read_scope_files(const std::filesystem::path& folder,
                                   const std::vector<std::filesystem::path>& files,
                                   const Progress& progress = {});

// The bytes of one store file; `name` is for messages.
Result<TraceData> read_sst_bytes(store::Bytes file, const std::string& name,
                                 const Progress& progress = {});

bool sniff_sst(
    const std::filesystem::path& path);  // a file with the store's magic, or an empty *.sst
bool sniff_scope(const std::filesystem::path& path);  // a folder

}  // namespace stepscope

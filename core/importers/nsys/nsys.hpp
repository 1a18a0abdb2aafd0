// SPDX-License-Identifier: Apache-2.0
// Reads what `nsys export --type sqlite` writes, as it is or compressed with gzip.
//
// The file is opened read-only as one that nobody changes: nothing is written, not even beside it.
// So a file that another program is writing, or whose last rows stand in a write-ahead log or
// journal beside it, is refused. Columns are looked up by name; absent tables and columns leave
// their values unknown. Times count from the session's begin and become UTC where the export says
// when that was, else they count from 1 s (a device op at 0 has no time in the model).
//
// Not taken over: samples and call stacks, payloads of NVTX ranges, GPU metrics, libraries' own
// calls (cuDNN, cuBLAS, MPI, OpenACC); Health::notes names the tables with rows that were not read.
#pragma once

#include <filesystem>

#include "core/model/trace.hpp"
#include "core/support/memory_room.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Errors: io (cannot open or read; locked), bad_input (no export, damaged, no event), unsupported
// (this build has no SQLite; a .nsys-rep, which only nsys can read; more than there is memory for).
Result<TraceData> read_nsys(const std::filesystem::path& path, const Progress& progress = {},
                            const MemoryRoom& room = MemoryRoom{});

// True for an SQLite file, whatever its name and also within gzip, and for a file named like a
// report of nsys (.nsys-rep, .qdrep, .qdstrm): read_nsys then says what, if anything, is wrong.
bool sniff_nsys(const std::filesystem::path& path);

// A report that nsys has not exported yet, whose format only nsys knows; with what to do.
bool is_nsys_report(const std::filesystem::path& path);
Error nsys_report_error(const std::filesystem::path& path);

}  // namespace stepscope

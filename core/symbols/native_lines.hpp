// SPDX-License-Identifier: Apache-2.0
// Source lines of the places in compiled code that a trace was recorded with.
//
// A site of several places gets the innermost frame whose file is the user's: not a header of the
// system, of the compiler or of a framework, which the compiler may have inlined or compiled into
// the program. Where no frame is, it gets the innermost frame that has a line. Sites without any
// are taken out, and a note says which files were built without debug information.
//
// native_lines.json (schema stepscope.native_lines/1), in the run's folder:
//   {"schema": ..., "places": [{"file": "/path/train", "address": 4660,
//     "frames": [{"function": "step()", "file": "/path/train.cpp", "line": 12}, ...]}, ...]}
#pragma once

#include <filesystem>
#include <map>

#include "core/model/trace.hpp"
#include "core/symbols/addr2line.hpp"
#include "core/symbols/native_place.hpp"

namespace stepscope {

using NativeLines = std::map<NativePlace, std::vector<SourceFrame>>;

inline constexpr const char* kNativeLinesFile = "native_lines.json";

bool has_native_sites(const TraceData& data);

// Asks addr2line about every place of the trace. Errors: those of ask_addr2line, if no file could
// be asked about.
Result<NativeLines> find_native_lines(const TraceData& data);

// Errors: io, bad_input (no such document).
Status write_native_lines(const std::filesystem::path& path, const NativeLines& lines);
Result<NativeLines> read_native_lines(const std::filesystem::path& path);

// Gives the sites their lines; notes for those that have none.
void apply_native_lines(TraceData& data, const NativeLines& lines);

// The whole for a trace that was just read: from its file, else from addr2line; what failed is a
// note.
void add_native_lines(TraceData& data);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// A report's JSON document ("stepscope.report/1", reports/json) read back into a Summary, so that a
// baseline of some kilobytes serves where its trace did.
//
// All that the document holds is read, so that a report of it says what the trace's report says; lines
// of time that have no member stay empty. What must hold is checked: the cells, the partition's parts
// and the parts of its counted steps sum to the wall time, and every number is finite. Errors name
// the field: "cells[12].ns_total: ...".
#pragma once

#include <filesystem>
#include <string_view>

#include "core/summary/summary.hpp"

namespace stepscope {

// Whether the text is JSON that holds a "schema" of stepscope: give it a document whole, since its
// keys may have been sorted.
bool looks_like_report_document(std::string_view begin_of_text);

// Errors: bad_input (no JSON, a field that is missing or of another type, sums that do not hold),
// unsupported (another version of the schema, or another document of ours).
Result<Summary> parse_report_document(std::string_view text);
// The same, with the file's name in front of each message; io where it cannot be read.
Result<Summary> read_report_document(const std::filesystem::path& path);

}  // namespace stepscope

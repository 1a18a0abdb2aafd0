// SPDX-License-Identifier: Apache-2.0
// A rank's own summary: a part of a job's recording, reduced once, on the machine that recorded it,
// so that the job's report need not read its events. It stands beside the recording as
// NAME.scope/rank3.summary and is nothing but a shortcut: a report without it says the same.
//
//     file    = magic 89 53 53 52 0d 0a 1a 0a, CRC-32C of all behind it (4 bytes), origin, part
//     origin  = the build that wrote it; name, bytes and mark of each file that it was made of
//     part    = bytes when unpacked (varint), one zstd frame of the packed part
//
// It is read by the build that wrote it alone, so that the same code made both: packed.hpp says how
// values are laid out. What another build wrote, what was made of other files, what is damaged and
// what does not sum is refused, with the field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/reader/file_mark.hpp"
#include "core/summary/job/read_part.hpp"

namespace stepscope::job {

struct SummaryOrigin {
  std::string build;
  std::vector<store::FileMark> files;
};

enum class Packing { fast, small };
std::string pack_part(const JobPart& part, Packing packing = Packing::small);
// Errors: bad_input.
Result<JobPart> unpack_part(std::string_view packed);

// Whether any text of the part holds this one.
bool names(const JobPart& part, std::string_view text);

// Checks what holds for every part that was read from events: pieces follow each other without a gap
// and cover the counted steps; pieces, cells and parts sum to the wall time of these, cause by cause.
// The error names the field.
Status check_part(const JobPart& part);

std::string rank_summary_bytes(const JobPart& part, const SummaryOrigin& origin);
// Errors: bad_input, without the file's name.
Result<JobPart> read_rank_summary(std::string_view file, const SummaryOrigin& expected);

}  // namespace stepscope::job

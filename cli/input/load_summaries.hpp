// SPDX-License-Identifier: Apache-2.0
// Several runs as Summaries, in the order given. Two are read at the same time where there are two
// cores, and where both may take their fill within half of the memory that is left. The results
// are those of load_summary, whichever way it goes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/input/load_summary.hpp"

namespace stepscope {

// One a path; fewer where a run could not be read, which is then the last.
std::vector<Result<Summary>> load_summaries(std::span<const std::string> paths,
                                            const ReadOptions& options);

// About what reading a run comes to hold at most; 0 of a path that cannot be looked at.
std::uint64_t bytes_to_read(const std::string& path);

}  // namespace stepscope

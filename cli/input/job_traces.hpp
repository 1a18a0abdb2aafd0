// SPDX-License-Identifier: Apache-2.0
// A job's recordings in parts, as read_job() takes them, and the summaries that ranks of ours leave
// beside theirs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/report/read_job.hpp"

namespace stepscope {

// A NAME.scope folder has a part a rank; files of it that tell no rank are left out, unless none
// tells one. Any other path is a part.
std::unique_ptr<JobTraces> traces_of_job(const std::vector<std::string>& paths);

// Reduces each rank of a NAME.scope folder that belongs to a job, and writes its summary beside its
// recording. Does nothing for any other path. Errors: the first one; the other ranks are reduced all
// the same.
Status summarize_ranks(const std::string& folder);

}  // namespace stepscope

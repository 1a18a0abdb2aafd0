// SPDX-License-Identifier: Apache-2.0
// A job's traces in parts, as read_job() takes them: a NAME.scope folder has a part a rank, and other
// tools' files are a part each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/report/read_job.hpp"

namespace stepscope {

std::unique_ptr<JobTraces> traces_of_files(const std::vector<std::string>& paths);
// Nothing where the path is no folder of stepscope's with two ranks or more. Files that tell no rank
// are left out.
std::unique_ptr<JobTraces> traces_of_scope(const std::string& path);

}  // namespace stepscope

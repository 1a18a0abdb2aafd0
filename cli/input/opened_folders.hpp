// SPDX-License-Identifier: Apache-2.0
// Folders that other profilers filled with a file a rank (torch.profiler's tensorboard handler, nsys
// under a launcher) stand for these files.
#pragma once

#include <string>
#include <vector>

namespace stepscope {

// Each path in order. A folder that is no run of stepscope's, but holds traces (.json, .json.gz,
// .sqlite), is replaced by these, by name; any other path stays.
std::vector<std::string> with_folders_opened(const std::vector<std::string>& paths);

}  // namespace stepscope

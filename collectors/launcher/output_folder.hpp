// SPDX-License-Identifier: Apache-2.0
// NAME.scope: where a run's files go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::launcher {

// "train" of the script or program.
std::string program_name(const std::vector<std::string>& command);
// "train-20260131-142500" from the script or program, in local time.
std::string default_name(const std::vector<std::string>& command, std::int64_t now_s);

struct OutputFolder {
  std::string made;    // absolute
  std::string wanted;  // NAME.scope; another than `made` where that was there already
  std::string above;   // the uppermost folder that was made for it; empty: none was needed
};

// Makes NAME.scope/live. A folder that exists is never written into: NAME.2.scope, NAME.3.scope,
// ... is made instead. ".scope" at the end of NAME is optional.
Result<OutputFolder> make_output_folder(const std::string& name);

// Removes what make_output_folder made, without what others have put there meanwhile.
void remove_output_folder(const OutputFolder& folder);

// Free space is worth starting for, and files may be large enough. The rings of a run need some MiB
// a thread.
Status check_space(const std::string& folder);

}  // namespace stepscope::launcher

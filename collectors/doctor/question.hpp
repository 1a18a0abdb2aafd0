// SPDX-License-Identifier: Apache-2.0
// A question to software of others (a vendor's library, the Python of the PATH), which may crash,
// hang, abort or print. It is asked in a child process: whatever happens there costs this answer
// alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::doctor {

// Values by name, in the order in which they were said, up to the end of the child.
struct Answer {
  std::vector<std::pair<std::string, std::string>> said;
  std::string failure;  // how the child ended before its time, "died: Segmentation fault"; or empty

  std::string value_of(const std::string& name) const;  // the first of that name; empty: none
};

using Say = std::function<void(const std::string& name, const std::string& value)>;

// The child and what it started are killed at the limit. It has no terminal, leaves no core dump,
// and its stack cannot grow over 8 MiB. Call it from a process that has one thread.
Answer ask(const std::function<void(const Say&)>& question, std::chrono::milliseconds limit);

}  // namespace stepscope::doctor

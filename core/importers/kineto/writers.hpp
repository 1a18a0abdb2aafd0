// SPDX-License-Identifier: Apache-2.0
// Which tool wrote a Chrome trace that is not of PyTorch's profiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace stepscope::kineto {

// Returns the tool, and what to do, by the categories of events that are not read and by the names
// of processes; empty where nothing tells.
std::string writer_of(const std::map<std::string, std::uint64_t>& categories,
                      const std::map<std::int64_t, std::string>& process_names);

}  // namespace stepscope::kineto

// SPDX-License-Identifier: Apache-2.0
// Names of ranges that say what a phase is, and those that say nothing of it.
#pragma once

#include <string_view>

namespace stepscope {

// The phase of a range that PyTorch itself puts around one of its parts; empty: none.
std::string_view torch_mark(std::string_view name);

// A range that a process group puts around a collective: "gloo:all_reduce".
// A group of the program's own may name them alike: "sockets:all_reduce".
bool is_group_collective(std::string_view name);

// NVTX domains of libraries: what they mark is their own inside, not a part of the training loop.
bool is_library_domain(std::string_view domain);

// Noise that is neither a user's phase nor a part of the training loop worth a row.
bool is_internal(std::string_view name);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Files that are written through memory. Their blocks are allocated before use: a store into a hole
// of a full disk would kill the process with SIGBUS.
#pragma once

#include <cstddef>

namespace stepscope::recorder {

// Within the limit on the size of files (ulimit -f). Beyond it the kernel would kill the process
// with SIGXFSZ.
bool may_be_as_large(std::size_t size) noexcept;

// Creates `path` (must not exist) with `allocated` bytes of `size` backed by blocks; -1 where that
// fails.
int create_backed_file(const char* path, std::size_t size, std::size_t allocated) noexcept;

// Maps all of `fd` shared; at `address` over what is there, where not null. Null where that fails.
void* map_shared(int fd, std::size_t size, void* address) noexcept;

bool allocate_blocks(int fd, std::size_t offset, std::size_t size) noexcept;

}  // namespace stepscope::recorder

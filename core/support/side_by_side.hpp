// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace stepscope {

// Cores that this process may use; at least 1.
std::size_t usable_cores();

// Calls work(0) to work(count - 1), each once, from up to `threads` threads, and returns when all
// are done. With one thread they run in order, in the caller's.
void for_each_side_by_side(std::size_t count, std::size_t threads,
                           const std::function<void(std::size_t)>& work);

}  // namespace stepscope

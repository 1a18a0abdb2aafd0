// SPDX-License-Identifier: Apache-2.0
// Work before training begins on all of the machine's threads, however few LibTorch may use.
#pragma once

#include <cstddef>
#include <functional>

namespace stepscope::trainers {

// body(i) for i from count - 1 down to 0, each once, on any thread. An exception of one is thrown
// here when all threads have ended; what nobody had begun by then is left out.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace stepscope::trainers

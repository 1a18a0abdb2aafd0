// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/at_once.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stepscope::trainers {

void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> begun = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::size_t i = begun++; i < count; i = begun++) body(count - 1 - i);
    } catch (...) {
      begun = count;
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(count, most); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace stepscope::trainers

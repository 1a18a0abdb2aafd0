// SPDX-License-Identifier: Apache-2.0
// Which addresses hold compiled code of the user's: the executable segments of the program and of
// its libraries that come neither with the system nor with a framework.
//
// Filled once and again when libraries came or went; readers take no lock. A library that was
// unloaded stays in until then: its addresses are on no stack any more.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::native {

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;  // of one executable segment
  std::uintptr_t base = 0;            // an address less this one is that of the file's symbols
  const char* path = nullptr;         // stays for the life of the process
};

class UserCode {
 public:
  static constexpr std::size_t kMost = 16;

  // Looks anew where the set of mapped libraries changed. Takes the loader's lock.
  void refresh() noexcept;

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  const CodeRange& operator[](std::size_t i) const noexcept { return ranges_[i]; }
  const CodeRange* find(std::uintptr_t address) const noexcept;

 private:
  std::array<CodeRange, kMost> ranges_{};
  std::atomic<std::size_t> size_{0};
  std::atomic<unsigned long long> changes_{~0ULL};  // of the loader, when we looked last
};

// Whether a mapped file of this path is the user's; the program itself is asked for by its path.
bool is_user_code(const char* path) noexcept;

}  // namespace stepscope::native

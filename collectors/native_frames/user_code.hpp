// SPDX-License-Identifier: Apache-2.0
// Which addresses hold compiled code of the user's: the executable segments of the program and of
// its libraries that come neither with the system nor with a framework.
//
// Looked up anew when libraries came or went. Readers take no lock: a published table is never
// written again, and where the user's libraries have changed kTables times, the last table stays.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::native {

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;  // bounds of one executable segment
  std::uintptr_t base = 0;            // an address less this one is that of the file's symbols
  const char* path = nullptr;         // stays for the life of the process
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

class UserCode {
 public:
  static constexpr std::size_t kMost = 16;  // ranges
  static constexpr std::size_t kTables = 16;

  // Looks anew where the set of mapped libraries changed. Takes the loader's lock.
  void refresh() noexcept;

  std::span<const CodeRange> ranges() const noexcept;
  const CodeRange* find(std::uintptr_t address) const noexcept;

 private:
  struct Table {
    std::array<CodeRange, kMost> ranges{};
    std::size_t size = 0;
  };

  std::array<Table, kTables> tables_{};
  std::atomic<std::size_t> published_{0};  // tables; the last one holds
  std::atomic<bool> refreshing_{false};
  // The loader's count of changes at our last look.
  std::atomic<unsigned long long> changes_{~0ULL};
};

// Whether a mapped file of this path is the user's; the program itself is asked for by its path.
bool is_user_code(const char* path) noexcept;

}  // namespace stepscope::native

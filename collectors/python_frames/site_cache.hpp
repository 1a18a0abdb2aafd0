// SPDX-License-Identifier: Apache-2.0
// A cache from (code object, place in it) to its call site: a fixed table, no lock, no allocation.
//
// A key is a 64-bit hash of everything that identifies the code object (address, file, name and
// line table addresses, first line, version or table content) and the place, so a new code object
// at an old address is another key. A bucket is one cache line of four pairs (key, value); a value
// carries 24 bits of its key, so that a pair torn by two writers is taken for unknown and written
// anew. Value 0: none.
//
//   value: tag 24 | kind + 1: 8 | site 32
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::python {

struct Known {
  std::uint32_t site = 0;  // recorder::SiteRef; 0 where only the kind is kept
  std::uint8_t kind = 0;   // SourceKind
};

class SiteCache {
 public:
  static constexpr std::size_t kBuckets = 1 << 14;  // 64 Ki pairs, 1 MiB, touched as it fills
  static constexpr std::size_t kWays = 4;

  bool find(std::uint64_t key, Known& known) const noexcept {
    for (const Pair& pair : bucket(key)) {
      if (pair.key.load(std::memory_order_acquire) != key) continue;
      const std::uint64_t value = pair.value.load(std::memory_order_acquire);
      if (value == 0 || value >> 40 != tag(key)) continue;
      known = {static_cast<std::uint32_t>(value),
               static_cast<std::uint8_t>((value >> 32 & 0xFF) - 1)};
      return true;
    }
    return false;
  }

  void add(std::uint64_t key, Known known) noexcept {
    Pair& pair = victim(key);
    pair.value.store(0, std::memory_order_release);
    pair.key.store(key, std::memory_order_release);
    pair.value.store(tag(key) << 40 | (std::uint64_t{known.kind} + 1) << 32 | known.site,
                     std::memory_order_release);
  }

 private:
  struct Pair {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> value;
  };
  using Bucket = std::array<Pair, kWays>;

  static std::uint64_t tag(std::uint64_t key) noexcept { return key >> 40; }
  const Bucket& bucket(std::uint64_t key) const noexcept { return buckets_[key % kBuckets]; }

  // A free pair, else one that the key's own bits choose.
  Pair& victim(std::uint64_t key) noexcept {
    Bucket& pairs = buckets_[key % kBuckets];
    for (Pair& pair : pairs) {
      if (pair.value.load(std::memory_order_relaxed) == 0) return pair;
    }
    return pairs[key >> 32 & (kWays - 1)];
  }

  alignas(64) std::array<Bucket, kBuckets> buckets_{};
};

}  // namespace stepscope::python

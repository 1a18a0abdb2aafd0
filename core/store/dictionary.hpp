// SPDX-License-Identifier: Apache-2.0
// Dense ids for values, and which of them no chunk has carried yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/entities.hpp"
#include "core/model/events.hpp"

namespace stepscope::store {

struct ThreadKey {
  ProcessId process = 0;
  std::int64_t tid = 0;
  friend bool operator==(const ThreadKey&, const ThreadKey&) = default;
};

struct StreamKey {
  ProcessId process = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

struct KeyHash {
  using is_transparent = void;
  static std::size_t mix(std::initializer_list<std::uint64_t> words) {
    std::uint64_t hash = 0;
    for (std::uint64_t word : words) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 32U;
    }
    return hash;
  }
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
  std::size_t operator()(std::int64_t pid) const { return mix({static_cast<std::uint64_t>(pid)}); }
  std::size_t operator()(const ThreadKey& k) const {
    return mix({k.process, static_cast<std::uint64_t>(k.tid)});
  }
  std::size_t operator()(const StreamKey& k) const {
    return mix({k.process, k.device, k.context, k.stream});
  }
  std::size_t operator()(const Site& s) const {
    return mix({s.file, s.line, s.function, static_cast<std::uint64_t>(s.kind)});
  }
  std::size_t operator()(const LaunchConfig& c) const {
    const auto both = [](std::uint32_t low, std::uint32_t high) {
      return low | std::uint64_t{high} << 32U;
    };
    return mix({both(c.grid[0], c.grid[1]), both(c.grid[2], c.block[0]),
                both(c.block[1], c.block[2]), both(c.registers_per_thread, c.shared_bytes)});
  }
};

template <class Key>
class Dictionary {
 public:
  template <class Like>
  std::uint32_t id_of(const Like& key) {
    const auto found = ids_.find(key);
    if (found != ids_.end()) return found->second;
    pending_.push_back(&ids_.emplace(Key(key), next_).first->first);  // keys never move
    return next_++;
  }
  // Returns an id for one use: the key is forgotten when it has been written.
  std::uint32_t passing_id_of(Key key) {
    pending_.push_back(&passing_.emplace_back(std::move(key)));
    return next_++;
  }
  template <class Like>
  bool has(const Like& key) const {
    return ids_.find(key) != ids_.end();
  }

  std::size_t size() const { return ids_.size(); }  // without keys that were interned for one chunk
  const std::vector<const Key*>& pending() const { return pending_; }
  std::size_t first_pending() const { return next_ - pending_.size(); }
  void mark_written() {
    pending_.clear();
    passing_.clear();
  }

 private:
  std::unordered_map<Key, std::uint32_t, KeyHash, std::equal_to<>> ids_;
  std::deque<Key> passing_;
  std::vector<const Key*> pending_;
  std::uint32_t next_ = 0;
};

}  // namespace stepscope::store

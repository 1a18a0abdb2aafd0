// SPDX-License-Identifier: Apache-2.0
#include "core/model/strings.hpp"

#include <algorithm>
#include <cstring>

namespace stepscope {

StringTable::StringTable() {
  intern("");
}

StringId StringTable::intern(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const std::string_view own = store(text);
  const auto id = static_cast<StringId>(views_.size());
  views_.push_back(own);
  ids_.emplace(own, id);
  return id;
}

StringId StringTable::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? kNone : found->second;
}

std::string_view StringTable::store(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{64} * 1024;
  if (block_size_ - block_used_ < text.size() || blocks_.empty()) {
    block_size_ = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_used_ = 0;
  }
  char* at = blocks_.back().get() + block_used_;
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  block_used_ += text.size();
  return {at, text.size()};
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// Interned strings: each distinct text is stored once and named by a StringId. Id 0 is "".
// Views stay valid for the table's life, also across a move of the table.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/ids.hpp"

namespace stepscope {

class StringTable {
 public:
  StringTable();

  StringId intern(std::string_view text);
  StringId find(std::string_view text) const;  // kNone where the text was never interned
  std::string_view view(StringId id) const { return views_[id]; }
  std::size_t size() const { return views_.size(); }

 private:
  std::string_view store(std::string_view text);

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
  std::vector<std::string_view> views_;
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace stepscope

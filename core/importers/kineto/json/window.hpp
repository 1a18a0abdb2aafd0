// SPDX-License-Identifier: Apache-2.0
// The stretch of a document that is in memory: unread text, NUL and padding behind it (JsonScanner
// needs both). more() drops what was consumed and reads on; the buffer doubles only while nothing
// was consumed, so it stays as small as the largest single unit (an event or one top-level value),
// at most kMaxBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/importers/byte_source.hpp"
#include "core/support/progress.hpp"

namespace stepscope::kineto {

class Window {
 public:
  static constexpr std::size_t kMinBytes = 4;  // a byte order mark is seen whole
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;

  Window(importers::ByteSource& source, std::size_t bytes, const Progress& progress);

  const char* begin() const { return text_.data() + used_; }
  const char* end() const { return text_.data() + filled_; }
  void consume_to(const char* at) { used_ = static_cast<std::size_t>(at - text_.data()); }
  std::uint64_t offset_of(const char* at) const {
    return dropped_ + static_cast<std::uint64_t>(at - text_.data());
  }

  // False at the end of the document.
  Result<bool> more();

 private:
  Status make_room();

  importers::ByteSource& source_;
  const Progress& progress_;
  std::vector<char> text_;
  std::size_t capacity_;  // text_ without the padding
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t dropped_ = 0;  // content bytes before text_
};

}  // namespace stepscope::kineto

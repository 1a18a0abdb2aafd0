// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/importers/kineto/json/json_scanner.hpp"

namespace stepscope::kineto {

Window::Window(importers::ByteSource& source, std::size_t bytes, const Progress& progress)
    : source_(source),
      progress_(progress),
      text_(std::max(bytes, kMinBytes) + JsonScanner::kPadding),
      capacity_(std::max(bytes, kMinBytes)) {}

Status Window::make_room() {
  const bool full = used_ == 0 && filled_ == capacity_;
  std::memmove(text_.data(), text_.data() + used_, filled_ - used_);
  dropped_ += used_;
  filled_ -= used_;
  used_ = 0;
  if (!full) return Done{};
  if (capacity_ >= kMaxBytes) {
    return bad_input(fmt::format(
        "byte {}: a single event or value is larger than {} MiB. Such a file is no profiler "
        "trace; record the run again",
        dropped_, kMaxBytes >> 20U));
  }
  capacity_ *= 2;
  text_.resize(capacity_ + JsonScanner::kPadding);
  return Done{};
}

Result<bool> Window::more() {
  if (const Status room = make_room(); !room.ok()) return room.error();
  const std::size_t before = filled_;
  while (filled_ < capacity_) {
    const Result<std::size_t> got = source_.read(text_.data() + filled_, capacity_ - filled_);
    if (!got.ok()) return got.error();
    if (*got == 0) break;
    filled_ += *got;
  }
  std::memset(text_.data() + filled_, 0, JsonScanner::kPadding);
  report_progress(progress_, source_.file_position(), source_.file_bytes());
  return filled_ > before;
}

}  // namespace stepscope::kineto

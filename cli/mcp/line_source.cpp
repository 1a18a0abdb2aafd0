// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/line_source.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace stepscope::mcp {
namespace {

void end_line(Line& line) {
  if (!line.text.empty() && line.text.back() == '\r') line.text.pop_back();
}

}  // namespace

bool LineSource::fill() {
  std::array<char, 1 << 16> bytes;
  ssize_t got = 0;
  do got = ::read(in_, bytes.data(), bytes.size());
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  buffer_.assign(bytes.data(), static_cast<std::size_t>(got));
  begin_ = 0;
  return true;
}

std::optional<Line> LineSource::next() {
  Line line;
  bool any = false;
  while (begin_ < buffer_.size() || fill()) {
    any = true;
    const std::size_t end = buffer_.find('\n', begin_);
    const std::size_t size = (end == std::string::npos ? buffer_.size() : end) - begin_;
    line.too_long = line.too_long || line.text.size() + size > longest_;
    if (line.too_long) {
      line.text.clear();
    } else {
      line.text.append(buffer_, begin_, size);
    }
    begin_ += size + (end == std::string::npos ? 0 : 1);
    if (end == std::string::npos) continue;
    end_line(line);
    return line;
  }
  if (!any) return {};
  end_line(line);
  return line;
}

}  // namespace stepscope::mcp

// SPDX-License-Identifier: Apache-2.0
// Lines of a descriptor (a pipe, mostly), as they come. A line that is longer than the bound is
// skipped to its end and said to be too long, so that no input fills the memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stepscope::mcp {

struct Line {
  std::string text;  // without its end ("\n" or "\r\n")
  bool too_long = false;
};

class LineSource {
 public:
  explicit LineSource(int descriptor, std::size_t longest) : in_(descriptor), longest_(longest) {}

  // Nothing: the input has ended. What follows the last line end counts as a line.
  std::optional<Line> next();

 private:
  bool fill();

  int in_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;  // begin of what was not given out yet
};

}  // namespace stepscope::mcp

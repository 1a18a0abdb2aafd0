// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/frames.hpp"

#include <algorithm>

#include "collectors/python_frames/line_table.hpp"
#include "core/support/words.hpp"

namespace stepscope::python {

int line_of(const Layout& layout, Object code, std::size_t unit) noexcept {
  const auto table = line_table_of(layout, code);
  const int first_line = load<int>(code, layout.code_first_line);
  switch (layout.lines) {
    case Lines::locations:
      return line_of_unit(table.data(), table.size(), first_line, unit);
    case Lines::ranges:
      return line_of_unit_310(table.data(), table.size(), first_line, unit);
    case Lines::increments:
      return line_of_unit_39(table.data(), table.size(), first_line, unit);
  }
  return kBadTable;
}

std::size_t copy_text(const Layout& layout, Object text, std::span<char> out) noexcept {
  const auto length = load<std::size_t>(text, layout.text_length);
  const auto state = load<std::uint32_t>(text, layout.text_state);
  const std::uint32_t kind = state >> 2 & 7;  // bytes a character
  const bool compact = (state >> 5 & 1) != 0, ascii = (state >> 6 & 1) != 0;
  if (!compact) return 0;
  if (ascii) {
    const std::size_t size = std::min(length, out.size());
    std::memcpy(out.data(), text + layout.text_ascii_data, size);
    return size;
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < length && size + 4 <= out.size(); ++i) {
    std::uint32_t c = 0;
    std::memcpy(&c, text + layout.text_wide_data + i * kind, kind <= 4 ? kind : 4);
    size += append_utf8(out.data() + size, c);
  }
  return size;
}

}  // namespace stepscope::python

// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/code_loops.hpp"

#include "collectors/python_frames/known_code.hpp"

namespace stepscope::host_sampler {

ForLoops CodeLoops::around(const Memory& memory, CodeTable& codes, const Code& code,
                           Address instruction) noexcept {
  Entry& entry = entries_[python::mix(code.address, 0) % kCodes];
  if (entry.address != code.address || entry.words != code.words)
    describe(memory, codes, code, entry);
  ForLoops out{.is_known = entry.count != python::kUnknownLoops};
  if (!out.is_known) return out;
  const Address begin = code.address + python_.layout.code_bytes;
  const std::size_t unit = instruction < begin ? 0 : (instruction - begin) / 2;
  for (std::size_t i = 0; i < entry.count && out.count < ForLoops::kMost; ++i)
    if (entry.loops[i].has_iterator && entry.loops[i].holds(unit))
      out.line[out.count++] = entry.line[i];
  return out;
}

void CodeLoops::describe(const Memory& memory, CodeTable& codes, const Code& code,
                         Entry& entry) noexcept {
  entry.address = code.address;
  entry.words = code.words;
  entry.count = python::kUnknownLoops;
  const python::Layout& at = python_.layout;
  if (at.instruction_step != 0 || code.words.units > units_.size()) return;
  const std::size_t end = begin_of_handlers(memory, code);
  const Address begin = code.address + at.code_bytes;
  if (end == 0 || !memory.read(begin, units_.data(), end * sizeof units_[0])) return;
  entry.count = python::find_code_loops(at.minor, std::span(units_).first(end), entry.loops);
  if (entry.count == python::kUnknownLoops) return;
  for (std::size_t i = 0; i < entry.count; ++i)
    entry.line[i] = codes.line_of(memory, code, begin + Address{2} * entry.loops[i].of_its_line());
}

std::size_t CodeLoops::begin_of_handlers(const Memory& memory, const Code& code) noexcept {
  const python::Layout& at = python_.layout;
  if (at.code_handlers == 0) return code.words.units;
  Address table = 0;
  std::size_t size = 0;
  if (!memory.load(code.address + at.code_handlers, table) ||
      !memory.load(table + at.sequence_size, size) || size > table_.size() ||
      !memory.read(table + at.bytes_data, table_.data(), size))
    return 0;
  return python::find_handlers(std::span(table_).first(size), code.words.units, handlers_).begin;
}

}  // namespace stepscope::host_sampler

// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/code_table.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "collectors/python_frames/known_code.hpp"
#include "collectors/python_frames/line_table.hpp"

namespace stepscope::host_sampler {
namespace {

// "queue" of ".../lib/python3.12/queue.py".
std::string_view module_of(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.rfind(".py"));
}

}  // namespace

Role role_of(std::string_view path) noexcept {
  constexpr std::string_view kData = "/torch/utils/data/";
  if (path.starts_with("<frozen importlib.")) return Role::importer;
  const std::size_t at = path.rfind(kData);
  if (at == std::string_view::npos) return Role::plain;
  const std::string_view inside = path.substr(at + kData.size());
  if (inside == "_utils/worker.py") return Role::worker_loop;
  return inside == "_utils/fetch.py" ? Role::fetch : Role::loader;
}

Code& CodeTable::slot_of(Address address) noexcept {
  return codes_[python::mix(address, 0) % kCodes];
}

CodeWords CodeTable::words_of(const Header& header) const noexcept {
  const python::Layout& at = python_.layout;
  const char* code = header.data();
  return {python::load<Address>(code, at.object_type),
          python::load<Address>(code, at.code_file),
          python::load<Address>(code, at.code_name),
          python::load<Address>(code, at.code_lines),
          python::load<std::uint64_t>(code, at.sequence_size),
          at.code_version == 0 ? 0 : python::load<std::uint32_t>(code, at.code_version),
          python::load<std::int32_t>(code, at.code_first_line)};
}

const Code* CodeTable::find(const Memory& memory, Address address) noexcept {
  Code& slot = slot_of(address);
  if (slot.address == address) return &slot;
  Header header;
  if (address == 0 || address % sizeof(Address) != 0 ||
      !memory.read(address, header.data(), header_bytes()))
    return nullptr;
  Code code{.address = address, .words = words_of(header)};
  if (code.words.type != reinterpret_cast<Address>(python_.code_type) ||
      code.words.first_line < 0 || !describe(memory, code))
    return nullptr;
  if (const python::Layout& at = python_.layout; at.frame_locals != 0) {
    code.locals = python::load<std::uint32_t>(header.data(), at.code_locals);
    code.stack_size = python::load<std::uint32_t>(header.data(), at.code_stack_size);
  }
  slot = code;
  return &slot;
}

bool CodeTable::is_still(Address address, const CodeWords& seen, const Header& header) noexcept {
  if (seen == words_of(header)) return true;
  Code& slot = slot_of(address);
  if (slot.address == address) slot = {};
  return false;
}

bool CodeTable::holds(const Code& code, Address instruction) const noexcept {
  const auto distance =
      static_cast<std::int64_t>(instruction - (code.address + python_.layout.code_bytes));
  return distance >= -2 && distance < static_cast<std::int64_t>(2 * code.words.units);
}

recorder::SiteRef CodeTable::site_of(const Memory& memory, const Code& code,
                                     Address instruction) noexcept {
  Place& place = places_[python::mix(code.address, instruction) % kSites];
  if (place.code == code.address && place.instruction == instruction && place.words == code.words &&
      place.site != 0)
    return place.site;
  const std::uint32_t line = line_of(memory, code, instruction);
  if (line == 0) return 0;
  const recorder::SiteRef site = recorder::intern_site(code.file, line, code.function);
  place = {code.address, instruction, code.words, site};
  return site;
}

std::uint32_t CodeTable::line_of(const Memory& memory, const Code& code,
                                 Address instruction) noexcept {
  std::size_t size = 0;
  if (!has_type(memory, code.words.lines, python_.bytes_type) ||
      !memory.load(code.words.lines + python_.layout.sequence_size, size) || size > kMostTable ||
      !memory.read(code.words.lines + python_.layout.bytes_data, table_.data(), size))
    return 0;
  const Address begin = code.address + python_.layout.code_bytes;
  const std::size_t unit = instruction < begin ? 0 : (instruction - begin) / 2;
  const int line = python::line_of_unit(table_.data(), size, code.words.first_line, unit);
  return line == python::kBadTable ? 0 : python::shown_line(line, code.words.first_line);
}

void CodeTable::forget() noexcept {
  codes_.fill({});
  places_.fill({});
}

bool CodeTable::describe(const Memory& memory, Code& code) noexcept {
  std::array<char, kMostText> file, name;
  const std::size_t file_size = read_text(memory, code.words.file, file.data());
  const std::size_t name_size = read_text(memory, code.words.name, name.data());
  if (file_size == 0 || name_size == 0) return false;
  const std::string_view path(file.data(), file_size);
  code.kind = python::source_kind(path);
  // A module that is being imported is not at its work.
  const bool is_import = std::string_view(name.data(), name_size) == "<module>";
  code.role = is_import ? Role::plain : role_of(path);
  code.file = recorder::intern_name(path.data(), path.size());
  code.function = recorder::intern_name(name.data(), name_size);
  std::array<char, 256> label;
  const std::string_view module = module_of(path);
  const int size =
      std::snprintf(label.data(), label.size(), "%.*s.%.*s", static_cast<int>(module.size()),
                    module.data(), static_cast<int>(name_size), name.data());
  code.label = recorder::intern_name(
      label.data(), std::min(static_cast<std::size_t>(std::max(size, 0)), label.size() - 1));
  return true;
}

// The object as a whole is copied, and read from the copy. 0: no text.
std::size_t CodeTable::read_text(const Memory& memory, Address text, char* out) noexcept {
  const python::Layout& at = python_.layout;
  std::size_t length = 0;
  std::uint32_t state = 0;
  if (!has_type(memory, text, python_.text_type) || !memory.load(text + at.text_length, length) ||
      !memory.load(text + at.text_state, state))
    return 0;
  const std::uint32_t kind = state >> 2 & 7;
  const std::size_t used = std::min(length, kMostText);
  if (kind == 0 || kind > 4) return 0;
  const std::size_t header = (state >> 6 & 1) != 0 ? at.text_ascii_data : at.text_wide_data;
  const std::size_t bytes = header + used * kind;
  if (bytes > raw_text_.size() || !memory.read(text, raw_text_.data(), bytes)) return 0;
  // The words that were read last must equal those that were read first.
  if (python::load<std::uint32_t>(raw_text_.data(), at.text_state) != state) return 0;
  std::memcpy(raw_text_.data() + at.text_length, &used, sizeof used);
  return python::copy_text(at, raw_text_.data(), {out, kMostText});
}

bool CodeTable::has_type(const Memory& memory, Address object, python::Object type) const noexcept {
  Address found = 0;
  return object % sizeof(Address) == 0 && object != 0 &&
         memory.load(object + python_.layout.object_type, found) &&
         found == reinterpret_cast<Address>(type);
}

}  // namespace stepscope::host_sampler

// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace stepscope::kineto {
namespace {

template <class Value, std::size_t kCount>
Value look_up(const std::array<std::pair<std::string_view, Value>, kCount>& table,
              std::string_view name, Value otherwise) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const auto& row) { return row.first == name; });
  return found == table.end() ? otherwise : found->second;
}

CopyKind copy_kind(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, CopyKind>, 9> kWords = {{
      {"HtoD", CopyKind::host_to_device},
      {"HtoA", CopyKind::host_to_device},
      {"DtoH", CopyKind::device_to_host},
      {"AtoH", CopyKind::device_to_host},
      {"DtoD", CopyKind::device_to_device},
      {"AtoD", CopyKind::device_to_device},
      {"DtoA", CopyKind::device_to_device},
      {"HtoH", CopyKind::host_to_host},
      {"PtoP", CopyKind::peer},
  }};
  return look_up(kWords, word, CopyKind::none);
}

MemoryKind memory_kind(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, MemoryKind>, 7> kWords = {{
      {"Pageable", MemoryKind::pageable},
      {"Pinned", MemoryKind::pinned},
      {"Device", MemoryKind::device},
      {"Array", MemoryKind::array},
      {"Managed", MemoryKind::managed},
      {"Device Static", MemoryKind::device},
      {"Managed Static", MemoryKind::managed},
  }};
  return look_up(kWords, word, MemoryKind::unknown);
}

// The text between the first '(' and the last ')'.
std::string_view in_parentheses(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

bool parse_number(std::string_view text, std::uint32_t& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && stop == text.data() + text.size();
}

// "CopyHostToDevice", as AMD's tracer names them.
CopyKind spelled_out_copy_kind(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, CopyKind>, 4> kSpelledOut = {{
      {"CopyHostToDevice", CopyKind::host_to_device},
      {"CopyDeviceToHost", CopyKind::device_to_host},
      {"CopyDeviceToDevice", CopyKind::device_to_device},
      {"CopyPeerToPeer", CopyKind::peer},
  }};
  return look_up(kSpelledOut, name, CopyKind::none);
}

}  // namespace

std::optional<PythonName> parse_python_name(std::string_view name) {
  if (name.starts_with("<built-in ") || name.starts_with("nn.Module: ")) return std::nullopt;
  const std::size_t close = name.find("): ");
  const std::size_t open = name.rfind('(', close);
  if (close == std::string_view::npos || open == std::string_view::npos || open == 0)
    return std::nullopt;
  PythonName out{name.substr(0, open), 0, name.substr(close + 3)};
  if (!parse_number(name.substr(open + 1, close - open - 1), out.line)) return std::nullopt;
  return out;
}

CopyName parse_copy_name(std::string_view name) {
  if (const CopyKind kind = spelled_out_copy_kind(name); kind != CopyKind::none) return {kind};
  const std::size_t first = std::min(name.find(' '), name.size());
  std::string_view rest = name.substr(std::min(first + 1, name.size()));
  CopyName out{copy_kind(rest.substr(0, rest.find(' ')))};
  const std::string_view memories = in_parentheses(rest);
  const std::size_t arrow = memories.find(" -> ");
  out.target = memory_kind(arrow == std::string_view::npos ? memories : memories.substr(arrow + 4));
  if (arrow != std::string_view::npos) out.source = memory_kind(memories.substr(0, arrow));
  return out;
}

ApiKind parse_sync_kind(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, ApiKind>, 5> kWords = {{
      {"Stream Wait Event", ApiKind::stream_wait_event},
      {"Event Sync", ApiKind::sync_event},
      {"Stream Sync", ApiKind::sync_stream},
      {"Context Sync", ApiKind::sync_device},
      {"Device Sync", ApiKind::sync_device},
  }};
  return look_up(kWords, name, ApiKind::other);
}

std::string_view parse_thread_name(std::string_view name) {
  if (name.starts_with("thread ") && name.ends_with(')')) {
    const std::string_view inner = in_parentheses(name);
    if (!inner.empty()) return inner;
  }
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

}  // namespace stepscope::kineto

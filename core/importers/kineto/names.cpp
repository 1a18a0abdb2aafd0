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

// The two ends of a copy, as profilers name them; the first that a text begins with.
enum class End : std::uint8_t { host, device, peer };
constexpr std::array<std::pair<std::string_view, End>, 13> kEnds = {{
    {"Host", End::host},
    {"HOST", End::host},
    {"host", End::host},
    {"Device", End::device},
    {"DEVICE", End::device},
    {"device", End::device},
    {"Peer", End::peer},
    {"H", End::host},
    {"M", End::host},  // Intel: memory that is neither pinned nor the device's
    {"D", End::device},
    {"A", End::device},  // an array of CUDA's
    {"S", End::device},  // Intel: shared
    {"P", End::peer},
}};

std::optional<End> take_end(std::string_view& text) {
  for (const auto& [word, end] : kEnds) {
    if (text.starts_with(word)) return text.remove_prefix(word.size()), end;
  }
  return std::nullopt;
}

CopyKind kind_between(End from, End to) {
  if (from == End::peer || to == End::peer) return CopyKind::peer;
  if (from == End::host) return to == End::host ? CopyKind::host_to_host : CopyKind::host_to_device;
  return to == End::host ? CopyKind::device_to_host : CopyKind::device_to_device;
}

// "HtoD", "M2D", "HostToDevice": two ends with a word for "to" between them, and nothing behind.
CopyKind copy_kind(std::string_view word) {
  constexpr std::string_view kTo[] = {"to", "To", "TO", "2", "_to_"};
  const std::optional<End> from = take_end(word);
  if (!from) return CopyKind::none;
  const auto* const to = std::find_if(std::begin(kTo), std::end(kTo),
                                      [word](std::string_view t) { return word.starts_with(t); });
  if (to == std::end(kTo)) return CopyKind::none;
  word.remove_prefix(to->size());
  const std::optional<End> target = take_end(word);
  return target && word.empty() ? kind_between(*from, *target) : CopyKind::none;
}

// The direction may stand anywhere: "CopyHostToDevice" (AMD), "DMA_H2D".
CopyKind copy_kind_within(std::string_view name) {
  const std::string_view what = name.substr(0, name.find(" ("));
  for (std::size_t at = 0; at < what.size(); ++at) {
    const std::string_view rest = what.substr(at);
    if (const CopyKind kind = copy_kind(rest.substr(0, rest.find(' '))); kind != CopyKind::none)
      return kind;
  }
  return CopyKind::none;
}

MemoryKind memory_kind(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, MemoryKind>, 11> kWords = {{
      {"Pageable", MemoryKind::pageable},
      {"Pinned", MemoryKind::pinned},
      {"Device", MemoryKind::device},
      {"Array", MemoryKind::array},
      {"Managed", MemoryKind::managed},
      {"Device Static", MemoryKind::device},
      {"Managed Static", MemoryKind::managed},
      {"MEMORY", MemoryKind::pageable},  // Intel's four
      {"HOST", MemoryKind::pinned},
      {"DEVICE", MemoryKind::device},
      {"SHARED", MemoryKind::managed},
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

struct Vendor {
  std::string_view word;  // in the name or label of a process
  std::string_view name;
};

constexpr std::array kVendors = {
    Vendor{"Ascend", "Huawei Ascend, an NPU"},
    Vendor{"NPU", "an NPU"},
    Vendor{"Gaudi", "Intel Gaudi, an HPU"},
    Vendor{"Habana", "Intel Gaudi, an HPU"},
    Vendor{"HPU", "Intel Gaudi, an HPU"},
    Vendor{"MTIA", "Meta MTIA"},
    Vendor{"XPU", "an Intel GPU"},
    Vendor{"TPU", "a TPU"},
    Vendor{"MLU", "Cambricon, an MLU"},
    Vendor{"MUSA", "Moore Threads"},
    Vendor{"GCU", "Enflame, a GCU"},
    Vendor{"Neuron", "AWS Neuron"},
    Vendor{"GPU", "a GPU"},
};

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
  const std::size_t first = std::min(name.find(' '), name.size());
  std::string_view rest = name.substr(std::min(first + 1, name.size()));
  CopyName out{copy_kind_within(name)};
  const std::string_view memories = in_parentheses(rest);
  const std::size_t arrow = memories.find(" -> ");
  out.target = memory_kind(arrow == std::string_view::npos ? memories : memories.substr(arrow + 4));
  if (arrow != std::string_view::npos) out.source = memory_kind(memories.substr(0, arrow));
  return out;
}

bool is_view_of_device(std::string_view process_name) {
  constexpr std::string_view kViews[] = {"Overlap Analysis", "Communication", "HCCL"};
  return std::find(std::begin(kViews), std::end(kViews), process_name) != std::end(kViews);
}

std::string device_vendor(std::string_view name, std::string_view label) {
  for (const Vendor& vendor : kVendors) {
    if (name.find(vendor.word) != std::string_view::npos ||
        label.find(vendor.word) != std::string_view::npos)
      return std::string(vendor.name);
  }
  return "";
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

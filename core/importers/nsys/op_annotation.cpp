// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace stepscope::nsys {
namespace {

constexpr std::string_view kSequence = ", seq = ";

bool names_op(std::string_view name) {
  constexpr std::array<std::string_view, 5> kSpaces = {
      "aten::", "autograd::", "torch::", "c10d::", "prim::"};
  return std::any_of(kSpaces.begin(), kSpaces.end(),
                     [name](std::string_view space) { return name.starts_with(space); });
}

// "MulBackward0", "torch::autograd::AccumulateGrad", and the engine's wrapper around either.
bool names_backward_node(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") || name.ends_with("AccumulateGrad") ||
         name.starts_with("autograd::engine::evaluate_function");
}

std::uint32_t number_at(std::string_view text) {
  std::uint32_t out = kNoSequence;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The value of a key of a dictionary as Python prints it.
std::string_view value_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find('\''));
}

constexpr std::string_view kModule = "'mod': '", kOp = "'op': '";

}  // namespace

bool surrounds_op(std::string_view text) {
  return text.starts_with("{'traceMarker': ") || text.starts_with("{\"model_config\": ");
}

std::optional<OpAnnotation> parse_op_annotation(std::string_view text) {
  if (text.starts_with("{'mod': "))
    return OpAnnotation{fmt::format("{}.{}", value_of(text, kModule), value_of(text, kOp))};
  const std::size_t sequence = text.find(kSequence);
  const std::size_t id = text.find(", op_id = ");
  const std::size_t cut = std::min({sequence, id, text.find(", sizes = [")});
  OpAnnotation out{std::string(text.substr(0, cut))};
  if (sequence != text.npos) out.sequence = number_at(text.substr(sequence + kSequence.size()));
  const bool annotated = sequence != text.npos || id != text.npos;
  if (!annotated && !names_op(out.name)) return std::nullopt;
  if (names_backward_node(out.name)) {
    out.kind = HostKind::backward_node;
  } else if (sequence == text.npos && out.name.find("::") == text.npos) {
    out.kind = HostKind::user_scope;
  }
  return out;
}

}  // namespace stepscope::nsys

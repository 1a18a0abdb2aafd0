// SPDX-License-Identifier: Apache-2.0
#include "core/findings/advice/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/findings/advice/device_rows.hpp"
#include "core/findings/advice/host_rows.hpp"
#include "core/findings/advice/input_rows.hpp"
#include "core/findings/advice/launch_rows.hpp"

namespace stepscope::rules {
namespace {

constexpr std::size_t kRowCount = std::size(kInputAdvice) + std::size(kHostAdvice) +
                                  std::size(kLaunchAdvice) + std::size(kDeviceAdvice);

constexpr std::array<AdviceRow, kRowCount> all_rows() {
  std::array<AdviceRow, kRowCount> out{};
  auto to = out.begin();
  to = std::ranges::copy(kInputAdvice, to).out;
  to = std::ranges::copy(kHostAdvice, to).out;
  to = std::ranges::copy(kLaunchAdvice, to).out;
  std::ranges::copy(kDeviceAdvice, to);
  return out;
}
constexpr std::array kRows = all_rows();

constexpr bool rows_are_in_order() {
  std::size_t at = 0;
  for (const AdviceRow& row : kRows)
    if (static_cast<std::size_t>(row.advice) != at++) return false;
  return at == kAdviceCount;
}
static_assert(rows_are_in_order(), "one row for each advice, in the order of the enumeration");

}  // namespace

AdviceText text_of(Advice advice, Language language) {
  const AdviceRow& row = kRows[static_cast<std::size_t>(advice)];
  return language == Language::cpp ? row.cpp : row.python;
}

void advise(Advice advice, Language language, Finding& out) {
  const AdviceText text = text_of(advice, language);
  out.fix = text.fix;
  out.code_hint = text.code_hint;
}

void put_text(std::string_view name, std::string_view text, std::string& hint) {
  for (std::size_t at = hint.find(name); at != std::string::npos;
       at = hint.find(name, at + text.size()))
    hint.replace(at, name.size(), text);
}

void put_number(std::string_view name, std::uint32_t number, std::string& hint) {
  put_text(name, std::to_string(number), hint);
}

void put_compiled_function(std::string_view function, std::string& hint) {
  const std::string_view last = function.substr(function.rfind('.') + 1);
  if (last.empty() || last == "forward" || function.find('<') != std::string_view::npos) return;
  const std::string text = fmt::format("{0} = torch.compile({0})", function);
  put_text("model = torch.compile(model)", text, hint);
  put_text("block = torch.compile(block)", text, hint);
}

}  // namespace stepscope::rules

// SPDX-License-Identifier: Apache-2.0
#include "core/steps/xla_ranges.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kModule = "hlo_module=";

}  // namespace

bool is_xla_range(std::string_view name) {
  const bool has_facts = name.ends_with('#') && name.find(":#") != std::string_view::npos;
  return has_facts && (name.starts_with("Xla") || name.starts_with("Thunk:"));
}

std::string_view xla_executable(std::string_view name) {
  if (!name.starts_with("XlaModule:#") || !name.ends_with('#')) return {};
  name.remove_suffix(1);
  const std::size_t module = name.find(kModule);
  return module == std::string_view::npos ? std::string_view{} : name.substr(module);
}

std::string_view xla_module(std::string_view executable) {
  if (!executable.starts_with(kModule)) return {};
  executable.remove_prefix(kModule.size());
  return executable.substr(0, executable.find(','));
}

}  // namespace stepscope

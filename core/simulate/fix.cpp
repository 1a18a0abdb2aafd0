// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/fix.hpp"

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

std::string_view name_of(FixKind kind) {
  for (const EditRow& row : all_edits()) {
    if (row.kind == kind) return row.name;
  }
  return "unknown";
}

std::optional<FixKind> fix_named(std::string_view name) {
  for (const EditRow& row : all_edits()) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

}  // namespace stepscope

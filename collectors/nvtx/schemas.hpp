// SPDX-License-Identifier: Apache-2.0
// The payload schemas that a process registered: a fixed, lock-free, append-only table.
//
// A static id is the user's and unique within its domain; a dynamic id is ours: 2^32 + slot. Field
// offsets are resolved at registration (given, else by natural alignment); a field that is an
// array, a pointer or a nested schema ends the known part of the layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/domains.hpp"
#include "collectors/nvtx/nvtx_abi.hpp"

namespace stepscope::nvtx {

inline constexpr std::size_t kMaxFields = 12;

struct Field {
  enum class Kind : std::uint8_t { number, signed_number, text, registered_text };
  char name[32];
  std::uint32_t offset;
  std::uint8_t size;
  Kind kind;
  bool event_message;
};

struct Schema {
  std::uint64_t id;
  const Domain* domain;
  recorder::NameId name;
  std::uint32_t field_count;
  Field fields[kMaxFields];
};

std::uint64_t register_schema(const Domain* domain, const SchemaAttributes& attributes) noexcept;
std::uint64_t register_enum(const Domain* domain, const EnumAttributes& attributes) noexcept;
const Schema* find_schema(const Domain* domain, std::uint64_t id) noexcept;  // null: unknown

}  // namespace stepscope::nvtx

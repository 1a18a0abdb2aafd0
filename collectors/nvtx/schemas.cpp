// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/schemas.hpp"

#include <atomic>
#include <cstring>

#include "collectors/nvtx/messages.hpp"

namespace stepscope::nvtx {
namespace {

constexpr std::uint32_t kMaxSchemas = 128;

struct Slot {
  std::atomic<bool> ready;
  bool is_enum;
  std::uint8_t enum_size;
  Schema schema;
};
constinit Slot slots[kMaxSchemas] = {};
constinit std::atomic<std::uint32_t> used{0};

Slot* claim() noexcept {
  const std::uint32_t index = used.fetch_add(1, std::memory_order_relaxed);
  if (index < kMaxSchemas) return &slots[index];
  used.store(kMaxSchemas, std::memory_order_relaxed);
  return nullptr;
}

std::uint64_t publish(Slot& slot, const Domain* domain, std::uint64_t static_id) noexcept {
  slot.schema.domain = domain;
  slot.schema.id =
      static_id != 0 ? static_id : kDynamicSchemaStart + static_cast<std::uint64_t>(&slot - slots);
  slot.ready.store(true, std::memory_order_release);
  return slot.schema.id;
}

const Slot* find(const Domain* domain, std::uint64_t id) noexcept {
  const std::uint32_t count = used.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count && i < kMaxSchemas; ++i) {
    if (!slots[i].ready.load(std::memory_order_acquire)) continue;
    if (slots[i].schema.id == id && slots[i].schema.domain == domain) return &slots[i];
  }
  return nullptr;
}

// Size of a predefined type, 0 for what is not a number or a text.
std::uint8_t size_of(const Domain* domain, std::uint64_t type) noexcept {
  static constexpr std::uint8_t kCTypes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8,  // char .. ulonglong
                                             1, 1, 2, 2, 4, 4, 8, 8,           // int8 .. uint64
                                             0, 0, 0,                          // floats: not kept
                                             8, 8};                            // size, address
  constexpr std::uint64_t kByte = 32, kCategory = 68, kColor = 69, kScope = 70, kPid32 = 71,
                          kPid64 = 72, kTid32 = 73, kTid64 = 74, kCString = 75, kUtf8 = 76,
                          kRegistered = 80;
  if (type < sizeof kCTypes) return kCTypes[type];
  switch (type) {
    case kByte:
      return 1;
    case kCategory:
    case kColor:
    case kPid32:
    case kTid32:
      return 4;
    case kScope:
    case kPid64:
    case kTid64:
    case kCString:
    case kUtf8:
    case kRegistered:
      return 8;
    default:
      break;
  }
  const Slot* nested = find(domain, type);
  return nested != nullptr && nested->is_enum ? nested->enum_size : std::uint8_t{0};
}

Field::Kind kind_of(std::uint64_t type) noexcept {
  if (type == 75 || type == 76) return Field::Kind::text;
  if (type == 80) return Field::Kind::registered_text;
  const bool is_signed = type == 1 || type == 3 || type == 5 || type == 7 || type == 9 ||
                         type == 11 || type == 13 || type == 15 || type == 17;
  return is_signed ? Field::Kind::signed_number : Field::Kind::number;
}

bool add_field(Schema& schema, const Domain* domain, const SchemaEntry& entry,
               std::uint64_t& end) noexcept {
  const std::uint8_t size = size_of(domain, entry.type);
  if (size == 0 || (entry.flags & kEntryIndirect) != 0) return false;
  Field& field = schema.fields[schema.field_count++];
  const std::uint64_t aligned = (end + size - 1) / size * size;
  field.offset = static_cast<std::uint32_t>(entry.offset != 0 ? entry.offset : aligned);
  field.size = size;
  field.kind = kind_of(entry.type);
  field.event_message = (entry.flags & kEntrySpecialMask) == kEntryEventMessage;
  if (entry.name != nullptr) std::strncpy(field.name, entry.name, sizeof field.name - 1);
  end = field.offset + size;
  return true;
}

}  // namespace

std::uint64_t register_schema(const Domain* domain, const SchemaAttributes& attributes) noexcept {
  Slot* slot = claim();
  if (slot == nullptr) return 0;
  Schema& schema = slot->schema;
  schema.name = (attributes.fields & kSchemaName) != 0 ? label_of(attributes.name) : 0;
  const bool listed = (attributes.fields & kSchemaEntries) != 0 && attributes.entries != nullptr;
  const std::size_t count = listed ? attributes.entry_count : 0;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < count && schema.field_count < kMaxFields; ++i) {
    if (!add_field(schema, domain, attributes.entries[i], end)) break;
  }
  return publish(*slot, domain, (attributes.fields & kSchemaId) != 0 ? attributes.id : 0);
}

std::uint64_t register_enum(const Domain* domain, const EnumAttributes& attributes) noexcept {
  Slot* slot = claim();
  if (slot == nullptr) return 0;
  const std::size_t size = (attributes.fields & kEnumSize) != 0 ? attributes.enum_size : 4;
  slot->is_enum = true;
  slot->enum_size = static_cast<std::uint8_t>(size == 1 || size == 2 || size == 8 ? size : 4);
  return publish(*slot, domain, (attributes.fields & kEnumId) != 0 ? attributes.id : 0);
}

const Schema* find_schema(const Domain* domain, std::uint64_t id) noexcept {
  const Slot* slot = find(domain, id);
  return slot != nullptr && !slot->is_enum ? &slot->schema : nullptr;
}

}  // namespace stepscope::nvtx

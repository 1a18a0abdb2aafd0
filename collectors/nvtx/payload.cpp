// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/payload.hpp"

#include <atomic>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "collectors/nvtx/callbacks.hpp"
#include "collectors/nvtx/messages.hpp"
#include "collectors/nvtx/ranges.hpp"
#include "collectors/nvtx/schemas.hpp"

namespace stepscope::nvtx {
namespace {

constexpr std::size_t kMaxPayloads = 16;
constexpr std::uint32_t kMaxTexts = 4096;  // different payload texts that a process may intern

bool read_number(const Field& field, const PayloadData& data, std::uint64_t& value) noexcept {
  if (data.payload == nullptr || data.size < std::size_t{field.offset} + field.size) return false;
  value = 0;
  std::memcpy(&value, static_cast<const char*>(data.payload) + field.offset, field.size);
  const unsigned unused_bits = 64u - 8u * field.size;
  if (field.kind == Field::Kind::signed_number) {
    value =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused_bits) >> unused_bits);
  }
  return true;
}

bool is_text(const Field& field) noexcept {
  return field.kind == Field::Kind::text || field.kind == Field::Kind::registered_text;
}

// --- names of ranges that have only a payload ---

recorder::RangeName message_in(const Schema& schema, const PayloadData& data) noexcept {
  for (std::uint32_t i = 0; i < schema.field_count; ++i) {
    const Field& field = schema.fields[i];
    std::uint64_t value = 0;
    if (!field.event_message || !is_text(field) || !read_number(field, data, value)) continue;
    return field.kind == Field::Kind::text ? name_of(std::bit_cast<const char*>(value))
                                           : name_of_handle(std::bit_cast<const void*>(value));
  }
  return 0;
}

recorder::RangeName name_of_payloads(const Domain* domain, const PayloadData* data,
                                     std::size_t count) noexcept {
  recorder::NameId of_schema = 0;
  for (std::size_t i = 0; data != nullptr && i < count && i < kMaxPayloads; ++i) {
    const Schema* schema = find_schema(domain, data[i].schema);
    if (schema == nullptr) continue;
    if (const recorder::RangeName message = message_in(*schema, data[i]); message != 0)
      return message;
    if (of_schema == 0) of_schema = schema->name;
  }
  return of_schema != 0 ? of_schema : name_of(static_cast<const char*>(nullptr));
}

// --- the values, as text ---

class Text {
 public:
  void field(const Field& field, std::uint64_t value) noexcept {
    const char* separator = fields_++ == 0 ? ": " : ", ";
    const char* format = std::strstr(field.name, "hash") != nullptr ? "%s%s=0x%" PRIx64
                         : field.kind == Field::Kind::signed_number ? "%s%s=%" PRId64
                                                                    : "%s%s=%" PRIu64;
    const int size =
        std::snprintf(text_ + size_, sizeof text_ - size_, format, separator, field.name, value);
    if (size > 0) size_ += static_cast<std::size_t>(size);
    if (size_ >= sizeof text_) size_ = sizeof text_ - 1;
  }
  bool empty() const noexcept { return fields_ == 0; }
  recorder::NameId intern() const noexcept { return recorder::intern_name(text_, size_); }

 private:
  char text_[256] = "payload NCCL";
  std::size_t size_ = 12;
  int fields_ = 0;
};

template <class Take>
void each_number(const Domain* domain, const PayloadData& data, Take take) noexcept {
  const Schema* schema = find_schema(domain, data.schema);
  if (schema == nullptr) return;
  for (std::uint32_t i = 0; i < schema->field_count; ++i) {
    std::uint64_t value = 0;
    if (is_text(schema->fields[i]) || !read_number(schema->fields[i], data, value)) continue;
    take(schema->fields[i], value);
  }
}

recorder::Message message_of(const Domain* domain, const PayloadData* data,
                             std::size_t count) noexcept {
  recorder::Message message;
  for (std::size_t i = 0; i < count && i < kMaxPayloads; ++i) {
    each_number(domain, data[i], [&message](const Field& field, std::uint64_t value) {
      read_field(field, value, message);
    });
  }
  return message;
}

// True for a text that was interned before or still fits. The filter forgets nothing and may take a
// new text for a known one, which only lets it pass.
bool within_bound(recorder::NameId name) noexcept {
  static constinit std::atomic<std::uint64_t> seen[kMaxTexts / 8];
  static constinit std::atomic<std::uint32_t> count{0};
  const std::uint32_t bit = name % (kMaxTexts * 8);
  const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
  if ((seen[bit / 64].fetch_or(mask, std::memory_order_relaxed) & mask) != 0) return true;
  return count.fetch_add(1, std::memory_order_relaxed) < kMaxTexts;
}

void mark_values(const Domain* domain, const PayloadData* data, std::size_t count) noexcept {
  static constinit std::atomic<bool> full{false};
  if (full.load(std::memory_order_relaxed)) return;
  Text text;
  for (std::size_t i = 0; i < count && i < kMaxPayloads; ++i) {
    each_number(domain, data[i],
                [&text](const Field& field, std::uint64_t value) { text.field(field, value); });
  }
  if (text.empty()) return;
  const recorder::NameId name = text.intern();
  mark(domain, name);
  if (within_bound(name) || full.exchange(true)) return;
  recorder::note("nvtx: over 4096 different NCCL payloads; later ones are not recorded");
}

}  // namespace

void note_payloads(const Domain* domain, const PayloadData* data, std::size_t count,
                   PayloadOf of) noexcept {
  if (data == nullptr || category_of(domain) != recorder::intern_name("NCCL", 4)) return;
  const recorder::Message message = message_of(domain, data, count);
  if (of == PayloadOf::range && message.bytes != kUnknownBytes)
    return recorder::collective(range_lane(domain), message);
  mark_values(domain, data, count);
}

namespace {

std::uint64_t schema_register(const Domain* domain, const SchemaAttributes* attributes) noexcept {
  return attributes == nullptr ? 0 : register_schema(domain, *attributes);
}

std::uint64_t enum_register(const Domain* domain, const EnumAttributes* attributes) noexcept {
  return attributes == nullptr ? 0 : register_enum(domain, *attributes);
}

void mark_payload(const Domain* domain, const PayloadData* data, std::size_t count) noexcept {
  if (!recorder::is_armed()) return;
  mark(domain, name_of_payloads(domain, data, count));
  note_payloads(domain, data, count, PayloadOf::other);
}

int push_payload(const Domain* domain, const PayloadData* data, std::size_t count) noexcept {
  if (!recorder::is_armed()) return kNoPushPopTracking;
  const int depth = push_range(domain, name_of_payloads(domain, data, count));
  note_payloads(domain, data, count, PayloadOf::range);
  return depth;
}

int pop_payload(const Domain* domain, const PayloadData* data, std::size_t count) noexcept {
  if (recorder::is_armed()) note_payloads(domain, data, count, PayloadOf::range);
  return pop_range(domain);
}

std::uint64_t start_payload(const Domain* domain, const PayloadData* data,
                            std::size_t count) noexcept {
  if (!recorder::is_armed()) return 0;
  const std::uint64_t id = start_range(domain, name_of_payloads(domain, data, count));
  note_payloads(domain, data, count, PayloadOf::other);
  return id;
}

void end_payload(const Domain*, std::uint64_t id, const PayloadData*, std::size_t) noexcept {
  end_range(id);
}

// NVTX 3.2.0 and 3.2.1 take a domain for disabled where a tool leaves this out.
std::uint8_t domain_is_enabled(const Domain*) noexcept {
  return 1;
}

}  // namespace

std::span<const Callback> payload_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(kSchemaRegister, schema_register), callback(kEnumRegister, enum_register),
      callback(kMarkPayload, mark_payload),       callback(kRangePushPayload, push_payload),
      callback(kRangePopPayload, pop_payload),    callback(kRangeStartPayload, start_payload),
      callback(kRangeEndPayload, end_payload),    callback(kDomainIsEnabled, domain_is_enabled),
  };
  return kCallbacks;
}

}  // namespace stepscope::nvtx

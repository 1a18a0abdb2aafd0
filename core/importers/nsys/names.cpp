// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/names.hpp"

#include <fmt/format.h>

#include <array>

#include "core/importers/kineto/json/text.hpp"

namespace stepscope::nsys {
namespace {

struct CopyCode {
  const char* word;
  CopyKind kind;
};

// By the number in ENUM_CUDA_MEMCPY_OPER. The last three are migrations of managed memory.
constexpr std::array<CopyCode, 14> kCopies = {{
    {"unknown", CopyKind::none},
    {"HtoD", CopyKind::host_to_device},
    {"DtoH", CopyKind::device_to_host},
    {"HtoA", CopyKind::host_to_device},
    {"AtoH", CopyKind::device_to_host},
    {"AtoA", CopyKind::device_to_device},
    {"AtoD", CopyKind::device_to_device},
    {"DtoA", CopyKind::device_to_device},
    {"DtoD", CopyKind::device_to_device},
    {"HtoH", CopyKind::host_to_host},
    {"PtoP", CopyKind::peer},
    {"HtoD", CopyKind::host_to_device},
    {"DtoH", CopyKind::device_to_host},
    {"DtoD", CopyKind::device_to_device},
}};

struct MemoryCode {
  const char* word;
  MemoryKind kind;
};

// By the number in ENUM_CUDA_MEM_KIND, which is not CUPTI's.
constexpr std::array<MemoryCode, 8> kMemories = {{
    {"Pageable", MemoryKind::pageable},
    {"Pinned", MemoryKind::pinned},
    {"Device", MemoryKind::device},
    {"Array", MemoryKind::array},
    {"Managed", MemoryKind::managed},
    {"Device Static", MemoryKind::device},
    {"Managed Static", MemoryKind::managed},
    {"Unknown", MemoryKind::unknown},
}};

template <class Code, std::size_t kCodes>
const Code& at(const std::array<Code, kCodes>& codes, std::int64_t code, std::size_t otherwise) {
  const bool known = code >= 0 && code < static_cast<std::int64_t>(kCodes);
  return codes[known ? static_cast<std::size_t>(code) : otherwise];
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

std::string_view api_name(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const bool versioned = name.size() - digits >= 4 && digits >= 2 && name[digits - 1] == 'v' &&
                         name[digits - 2] == '_';
  return versioned ? name.substr(0, digits - 2) : name;
}

bool is_migration(std::int64_t copy_code) {
  constexpr std::int64_t kFirst = 11;
  return copy_code >= kFirst && copy_code < static_cast<std::int64_t>(kCopies.size());
}

CopyKind copy_kind(std::int64_t code) {
  return at(kCopies, code, 0).kind;
}

MemoryKind memory_kind(std::int64_t code) {
  return at(kMemories, code, kMemories.size() - 1).kind;
}

std::string copy_name(std::int64_t code, std::int64_t source, std::int64_t target) {
  constexpr std::size_t kUnknown = kMemories.size() - 1;
  return fmt::format("Memcpy {} ({} -> {})", at(kCopies, code, 0).word,
                     at(kMemories, source, kUnknown).word, at(kMemories, target, kUnknown).word);
}

std::string set_name(std::int64_t memory) {
  return fmt::format("Memset ({})", at(kMemories, memory, kMemories.size() - 1).word);
}

// Returns the call by the number in ENUM_CUPTI_SYNC_TYPE.
ApiKind sync_kind(std::int64_t code) {
  constexpr std::array kKinds = {ApiKind::other, ApiKind::sync_event, ApiKind::stream_wait_event,
                                 ApiKind::sync_stream, ApiKind::sync_device};
  return at(kKinds, code, 0);
}

StringId Names::of(std::int64_t id) {
  const auto [known, fresh] = known_.try_emplace(id, 0);
  if (fresh) {
    known->second = strings_.intern(
        kineto::repaired_utf8(database_.text_at("StringIds", "value", "id", id).value_or("")));
  }
  return known->second;
}

StringId Names::of_api(std::int64_t id) {
  const auto [known, fresh] = known_apis_.try_emplace(id, 0);
  if (fresh) known->second = strings_.intern(api_name(strings_.view(of(id))));
  return known->second;
}

}  // namespace stepscope::nsys

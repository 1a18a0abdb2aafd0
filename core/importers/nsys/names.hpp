// SPDX-License-Identifier: Apache-2.0
// Texts of an export: its string ids as those of the trace, and what its numbers for kinds mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/importers/nsys/database.hpp"
#include "core/model/trace.hpp"

namespace stepscope::nsys {

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": the number is when CUPTI numbered the call, which
// no other tool prints. "cuMemcpyHtoD_v2" is a name.
std::string_view api_name(std::string_view name);

CopyKind copy_kind(std::int64_t code);
bool is_migration(std::int64_t copy_code);  // the driver moves managed memory
MemoryKind memory_kind(std::int64_t code);
// Names copies as PyTorch's profiler writes them: "Memcpy HtoD (Pinned -> Device)", "Memset
// (Device)".
std::string copy_name(std::int64_t code, std::int64_t source, std::int64_t target);
std::string set_name(std::int64_t memory);
ApiKind sync_kind(std::int64_t code);

class Names {
 public:
  Names(const Database& database, StringTable& strings) : database_(database), strings_(strings) {}

  // Returns the text of a row of StringIds; 0 where there is none.
  StringId of(std::int64_t id);
  StringId of_api(std::int64_t id);
  StringId intern(std::string_view text) { return strings_.intern(text); }
  std::string_view view(StringId id) const { return strings_.view(id); }

 private:
  const Database& database_;
  StringTable& strings_;
  std::unordered_map<std::int64_t, StringId> known_;
  std::unordered_map<std::int64_t, StringId> known_apis_;
};

}  // namespace stepscope::nsys

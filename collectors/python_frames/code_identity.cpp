// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/code_identity.hpp"

namespace stepscope::python {

std::uint64_t full_identity(const Layout& at, Object code, std::uint64_t light) noexcept {
  const std::uint32_t version =
      at.code_version == 0 ? 0 : load<std::uint32_t>(code, at.code_version);
  if (version != 0) return mix(light, version);
  constexpr std::size_t kSamples = 16;
  const auto table = line_table_of(at, code);
  std::uint64_t hash = mix(light, table.size());
  if (table.size() < 8) {
    for (const unsigned char byte : table) hash = mix(hash, byte);
    return hash;
  }
  const auto* bytes = reinterpret_cast<Object>(table.data());
  const std::size_t words = table.size() / 8, stride = words <= kSamples ? 1 : words / kSamples;
  for (std::size_t word = 0; word < words; word += stride) {
    hash = mix(hash, load<std::uint64_t>(bytes, static_cast<std::uint32_t>(8 * word)));
  }
  return mix(hash, load<std::uint64_t>(bytes, static_cast<std::uint32_t>(table.size() - 8)));
}

}  // namespace stepscope::python

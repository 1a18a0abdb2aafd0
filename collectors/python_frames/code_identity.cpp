// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/known_code.hpp"

namespace stepscope::python {
namespace {

// Whole words of a byte string: the first, the last, and some between.
[[gnu::hot]] std::uint64_t mix_samples(std::uint64_t hash, Object bytes, std::size_t size,
                                       std::size_t samples) noexcept {
  if (size < 8) {
    for (std::size_t i = 0; i < size; ++i) hash = mix(hash, static_cast<unsigned char>(bytes[i]));
    return hash;
  }
  const std::size_t words = size / 8, stride = words <= samples ? 1 : words / samples;
  for (std::size_t word = 0; word < words; word += stride) {
    hash = mix(hash, load<std::uint64_t>(bytes, static_cast<std::uint32_t>(8 * word)));
  }
  return mix(hash, load<std::uint64_t>(bytes, static_cast<std::uint32_t>(size - 8)));
}

}  // namespace

[[gnu::hot]] std::uint64_t code_identity(const Layout& at, Object code) noexcept {
  std::uint64_t hash =
      mix(reinterpret_cast<std::uintptr_t>(code), load<std::uint64_t>(code, at.code_file));
  hash = mix(hash, load<std::uint64_t>(code, at.code_name));
  hash = mix(hash, load<std::uint64_t>(code, at.code_lines));
  hash = mix(hash, load<std::uint32_t>(code, at.code_first_line));
  const std::uint32_t version =
      at.code_version == 0 ? 0 : load<std::uint32_t>(code, at.code_version);
  if (version != 0) return mix(hash, version);
  constexpr std::size_t kSamples = 8;  // a cache line each, and this runs with cold caches
  const auto table = line_table_of(at, code);
  return mix_samples(mix(hash, table.size()), reinterpret_cast<Object>(table.data()), table.size(),
                     kSamples);
}

[[gnu::hot]] std::uint64_t text_identity(const Layout& at, Object text) noexcept {
  constexpr std::size_t kSamples = 3;
  const auto length = load<std::size_t>(text, at.text_length);
  const std::uint64_t hash = mix(reinterpret_cast<std::uintptr_t>(text), length);
  const auto state = load<std::uint32_t>(text, at.text_state);
  const bool is_ascii = (state >> 6 & 1) != 0;  // else wider, so at least `length` bytes
  return mix_samples(hash, text + (is_ascii ? at.text_ascii_data : at.text_wide_data), length,
                     kSamples);
}

}  // namespace stepscope::python

// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/known_code.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "collectors/python_frames/line_table.hpp"
#include "collectors/python_frames/site_cache.hpp"

namespace stepscope::python {
namespace {

// Keys of what is known of a whole code object are no unit's.
constexpr std::uint64_t kKindOnly = ~std::uint64_t{0}, kLoopsOnly = ~std::uint64_t{1};
constexpr std::uint8_t kUnknown = 0xF0;  // in place of a number of loops
constexpr std::size_t kMostLoops = 1U << 14U;

constinit SiteCache cache{};
constinit std::array<CodeLoop, kMostLoops> all_loops{};
constinit std::atomic<std::uint32_t> loops_used{0};

recorder::NameId intern_text(const Layout& at, Object text) noexcept {
  char utf8[1024];
  return recorder::intern_name(utf8, copy_text(at, text, utf8));
}

std::size_t find_loops(const Layout& at, Object code,
                       std::span<CodeLoop, kMostCodeLoops> out) noexcept {
  const auto size = load<std::int64_t>(code, at.sequence_size);
  if (at.instruction_step != 0 || size <= 0 || static_cast<std::size_t>(size) > kMostUnits)
    return kUnknownLoops;
  // Aligned as pointers are: the instructions are the last field of the object.
  const auto* units = reinterpret_cast<const std::uint16_t*>(code + at.code_bytes);
  return find_code_loops(at.minor, {units, static_cast<std::size_t>(size)}, out);
}

// Keeps a code object's loops. If two threads meet it at once, its loops stand there twice.
std::uint8_t keep_loops(std::span<const CodeLoop> found, std::uint32_t& first) noexcept {
  if (found.empty()) return 0;
  const auto count = static_cast<std::uint32_t>(found.size());
  if (loops_used.load(std::memory_order_relaxed) + count > kMostLoops) return kUnknown;
  first = loops_used.fetch_add(count, std::memory_order_relaxed);
  if (first + count > kMostLoops) return kUnknown;
  std::copy(found.begin(), found.end(), all_loops.begin() + first);
  return static_cast<std::uint8_t>(count);
}

}  // namespace

[[gnu::hot]] SourceKind kind_of(const Layout& at, Object code) noexcept {
  const auto file = load<Object>(code, at.code_file);
  const std::uint64_t key = mix(text_identity(at, file), kKindOnly);
  Known known;
  if (cache.find(key, known)) return static_cast<SourceKind>(known.kind);
  char path[1024];
  const std::size_t size = copy_text(at, file, path);
  const SourceKind kind = source_kind({path, size});
  cache.add(key, {0, static_cast<std::uint8_t>(kind)});
  return kind;
}

[[gnu::hot]] recorder::SiteRef site_of(const Layout& at, Object code, std::size_t unit) noexcept {
  const std::uint64_t key = mix(code_identity(at, code), unit);
  Known known;
  if (cache.find(key, known)) return known.site;
  const int line = line_of(at, code, unit);
  if (line == kBadTable) return 0;
  const recorder::NameId file = intern_text(at, load<Object>(code, at.code_file));
  const recorder::NameId function = intern_text(at, load<Object>(code, at.code_name));
  const auto site =
      recorder::intern_site(file, line > 0 ? static_cast<std::uint32_t>(line) : 0, function);
  cache.add(key, {site, 0});
  return site;
}

KnownLoops loops_of(const Layout& at, Object code) noexcept {
  const std::uint64_t key = mix(code_identity(at, code), kLoopsOnly);
  Known known;
  if (!cache.find(key, known)) {
    std::array<CodeLoop, kMostCodeLoops> found;
    const std::size_t count = find_loops(at, code, found);
    known.kind =
        count == kUnknownLoops ? kUnknown : keep_loops(std::span(found).first(count), known.site);
    cache.add(key, known);
  }
  if (known.kind == kUnknown) return {.known = false};
  return {known.site, known.kind, true};
}

const CodeLoop& loop_of(std::uint32_t number) noexcept {
  return all_loops[number];
}

}  // namespace stepscope::python

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
constexpr std::uint64_t kKindOnly = ~std::uint64_t{0}, kShapeOnly = ~std::uint64_t{1};
constexpr std::uint8_t kUnknown = 0xF0;       // no shape
constexpr std::size_t kMostKept = 1U << 14U;  // items of a kind, of all code objects

constinit SiteCache cache{};

// Items of all code objects, which stay for good. Those of one code object lie side by side, and
// stand there twice if two threads meet it at once.
template <typename Item>
class Kept {
 public:
  // False: there is no room for them.
  bool keep(std::span<const Item> found, std::span<const Item>& kept) noexcept {
    const auto count = static_cast<std::uint32_t>(found.size());
    if (used_.load(std::memory_order_relaxed) + count > kMostKept) return false;
    const std::uint32_t first = used_.fetch_add(count, std::memory_order_relaxed);
    if (first + count > kMostKept) return false;
    std::copy(found.begin(), found.end(), items_.begin() + first);
    kept = {items_.begin() + first, count};
    return true;
  }
  std::uint32_t number_of(const Item& kept) const noexcept {
    return static_cast<std::uint32_t>(&kept - items_.data());
  }
  const Item& operator[](std::uint32_t number) const noexcept { return items_[number]; }

 private:
  std::array<Item, kMostKept> items_{};
  std::atomic<std::uint32_t> used_{0};
};

constinit Kept<CodeLoop> all_loops{};
constinit Kept<Handler> all_handlers{};
constinit Kept<CodeShape> all_shapes{};

recorder::NameId intern_text(const Layout& at, Object text) noexcept {
  char utf8[1024];
  return recorder::intern_name(utf8, copy_text(at, text, utf8));
}

// False: its instructions cannot be read, or there is no room for what it has.
bool find_shape(const Layout& at, Object code, CodeShape& out) noexcept {
  const auto size = load<std::int64_t>(code, at.sequence_size);
  if (at.instruction_step != 0 || size <= 0 || static_cast<std::size_t>(size) > kMostUnits)
    return false;
  std::array<Handler, kMostHandlers> handlers;
  Handlers behind{.begin = static_cast<std::size_t>(size)};
  if (at.code_handlers != 0)
    behind = find_handlers(table_of(at, code, at.code_handlers), behind.begin, handlers);
  std::array<CodeLoop, kMostCodeLoops> loops;
  // Aligned as pointers are: the instructions are the last field of the object.
  const auto* units = reinterpret_cast<const std::uint16_t*>(code + at.code_bytes);
  const std::size_t count = find_code_loops(at.minor, {units, behind.begin}, loops);
  return count != kUnknownLoops && all_loops.keep(std::span(loops).first(count), out.loops) &&
         all_handlers.keep(std::span(handlers).first(behind.count), out.handlers);
}

Known kept_shape(const Layout& at, Object code) noexcept {
  CodeShape found;
  std::span<const CodeShape> kept;
  if (!find_shape(at, code, found) || !all_shapes.keep({&found, 1}, kept)) return {0, kUnknown};
  return {all_shapes.number_of(kept.front()), 0};
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
      recorder::intern_site(file, shown_line(line, load<int>(code, at.code_first_line)), function);
  cache.add(key, {site, 0});
  return site;
}

const CodeShape* shape_of(const Layout& at, Object code) noexcept {
  const std::uint64_t key = mix(code_identity(at, code), kShapeOnly);
  Known known;
  if (!cache.find(key, known)) {
    known = kept_shape(at, code);
    cache.add(key, known);
  }
  return known.kind == kUnknown ? nullptr : &all_shapes[known.site];
}

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

namespace {

constexpr auto npos = std::string_view::npos;

bool starts_with_any(std::string_view text,
                     std::initializer_list<std::string_view> prefixes) noexcept {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

// Returns what follows the last "site-packages/" or "dist-packages/"; empty: neither is there.
std::string_view package_path(std::string_view path) noexcept {
  constexpr std::string_view kSite = "/site-packages/", kDist = "/dist-packages/";
  std::size_t at = path.rfind(kSite);
  if (at == npos) at = path.rfind(kDist);
  return at == npos ? std::string_view{} : path.substr(at + kSite.size());
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// ".../lib/python3.11/..." or lib64, or inside python311.zip.
bool in_standard_library(std::string_view path) noexcept {
  for (const std::string_view lib : {"/lib/python3.", "/lib64/python3."}) {
    std::size_t at = path.find(lib);
    if (at == npos) continue;
    at += lib.size();
    while (at < path.size() && (is_digit(path[at]) || path[at] == 't')) ++at;
    if (at < path.size() && path[at] == '/') return true;
  }
  const std::size_t zip = path.find("/python3");
  return zip != npos && path.find(".zip/", zip) != npos;
}

constinit std::string_view users_packages;

// "transformers" of "transformers/trainer.py" or of "transformers.py".
bool is_users_package(std::string_view path) noexcept {
  const std::string_view folder = path.substr(0, path.find('/'));
  const std::string_view package = folder.substr(0, folder.find('.'));
  for (std::string_view rest = users_packages; !rest.empty();) {
    const std::size_t end = rest.find(',');
    if (rest.substr(0, end) == package) return true;
    rest.remove_prefix(end == npos ? rest.size() : end + 1);
  }
  return false;
}

// A torch that lives elsewhere: built in its source tree, or unpacked by a packager.
bool in_torch_tree(std::string_view path) noexcept {
  constexpr std::string_view kTorch = "/torch/";
  const std::size_t at = path.rfind(kTorch);
  return at != npos && starts_with_any(path.substr(at + kTorch.size()),
                                       {"nn/modules/", "nn/functional.py", "optim/", "autograd/",
                                        "_dynamo/", "_inductor/", "_ops.py", "_tensor.py",
                                        "utils/data/", "utils/_contextlib.py", "distributed/"});
}

}  // namespace

void count_as_users(const char* packages) noexcept {
  users_packages = packages != nullptr ? packages : "";
}

SourceKind source_kind(std::string_view path) noexcept {
  if (path.starts_with("<")) {
    if (starts_with_any(path, {"<frozen ", "<__array_function__"})) return SourceKind::library;
    if (path == "<string>") return SourceKind::unnamed;
    return path.starts_with("<eval_with_key>") ? SourceKind::torch : SourceKind::user;
  }
  if (const std::string_view package = package_path(path); !package.empty()) {
    if (is_users_package(package)) return SourceKind::user;
    const bool torch = starts_with_any(package, {"torch/", "functorch/", "torchgen/"});
    return torch ? SourceKind::torch : SourceKind::package;
  }
  if (path.find("/torchinductor_") != npos || in_torch_tree(path)) return SourceKind::torch;
  return in_standard_library(path) ? SourceKind::library : SourceKind::user;
}

}  // namespace stepscope::python

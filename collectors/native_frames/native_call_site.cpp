// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/native_call_site.hpp"

#include <cstdio>

#include "collectors/native_frames/stack_scan.hpp"
#include "collectors/native_frames/user_code.hpp"
#include "collectors/python_frames/site_cache.hpp"

namespace stepscope {
namespace native {
namespace {

constinit UserCode code{};
constinit python::SiteCache cache{};

recorder::NameId interned(const char* text) noexcept {
  return recorder::intern_name(text, std::char_traits<char>::length(text));
}

// Interns the text of as many calls as it holds whole.
recorder::NameId name_of(const UserCalls& calls) noexcept {
  char text[1000] = "native:";
  std::size_t used = 7;
  for (std::size_t i = 0; i < calls.size; ++i) {
    const CodeRange* range = code.find(calls.address[i]);
    if (range == nullptr) break;
    const int more = std::snprintf(text + used, sizeof(text) - used, "%s%s+0x%zx",
                                   i == 0 ? "" : ";", range->path, calls.address[i] - range->base);
    if (more <= 0 || used + static_cast<std::size_t>(more) >= sizeof(text)) break;
    used += static_cast<std::size_t>(more);
  }
  return recorder::intern_name(text, used);
}

recorder::SiteRef site_of(const UserCalls& calls) noexcept {
  const CodeRange* innermost = calls.size == 0 ? nullptr : code.find(calls.address[0]);
  if (innermost == nullptr) return 0;
  return recorder::intern_site(interned(innermost->path), 0, name_of(calls));
}

}  // namespace
}  // namespace native

void init_native_call_sites() noexcept {
  native::code.refresh();
  recorder::collecting(recorder::Collector::call_sites);
  recorder::fact("native_call_sites", "on");
}

[[gnu::noinline]] recorder::SiteRef native_call_site() noexcept {
  using namespace native;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uint64_t picture = scan_stack(here, stack_of_thread(), code);
  if (picture == 0) return 0;
  python::Known known;
  if (!cache.find(picture, known)) {
    code.refresh();
    known.site = site_of(walk_stack(code));
    cache.add(picture, known);
  }
  recorder::count_site_lookup(known.site != 0);
  return known.site;
}

}  // namespace stepscope

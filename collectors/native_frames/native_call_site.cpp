// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/native_call_site.hpp"

#include <cstdio>

#include "collectors/native_frames/stack_walk.hpp"
#include "collectors/native_frames/user_code.hpp"
#include "collectors/python_frames/site_cache.hpp"

namespace stepscope {
namespace native {
namespace {

constinit UserCode user_code{};
constinit FrameSizes frame_sizes{};
constinit python::SiteCache known_sites{};

recorder::NameId interned(const char* text) noexcept {
  return recorder::intern_name(text, std::char_traits<char>::length(text));
}

// Interns the text of as many calls as it holds whole.
recorder::NameId name_of(const UserCalls& calls) noexcept {
  char text[1000] = "native:";
  std::size_t used = 7;
  for (std::size_t i = 0; i < calls.size; ++i) {
    const CodeRange* range = user_code.find(calls.address[i]);
    if (range == nullptr) break;
    const int more = std::snprintf(text + used, sizeof(text) - used, "%s%s+0x%zx",
                                   i == 0 ? "" : ";", range->path, calls.address[i] - range->base);
    if (more <= 0 || used + static_cast<std::size_t>(more) >= sizeof(text)) break;
    used += static_cast<std::size_t>(more);
  }
  return recorder::intern_name(text, used);
}

recorder::SiteRef site_of(const UserCalls& calls) noexcept {
  const CodeRange* innermost = calls.size == 0 ? nullptr : user_code.find(calls.address[0]);
  if (innermost == nullptr) return 0;
  return recorder::intern_site(interned(innermost->path), 0, name_of(calls));
}

std::uint64_t hash_of(const UserCalls& calls) noexcept {
  std::uint64_t out = calls.size;
  for (std::size_t i = 0; i < calls.size; ++i) {
    out = (out ^ calls.address[i]) * 0x9E3779B97F4A7C15U;
    out ^= out >> 29U;
  }
  return out;
}

UserCalls calls_from(std::uintptr_t slot, StackSpan stack) noexcept {
  UserCalls calls;
  if (walk_known_frames(slot, stack, user_code, frame_sizes, calls)) return calls;
  user_code.refresh();
  return walk_stack(slot, user_code, frame_sizes);
}

}  // namespace
}  // namespace native

void init_native_call_sites() noexcept {
  native::user_code.refresh();
  recorder::collecting(recorder::Collector::call_sites);
  recorder::fact("native_call_sites", "on");
}

[[gnu::noinline]] recorder::SiteRef native_call_site() noexcept {
  using namespace native;
  const auto slot =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + sizeof(std::uintptr_t);
  const StackSpan stack = stack_of_thread();
  if (slot < stack.low || slot >= stack.high) return 0;  // a stack of the program's own making
  const UserCalls calls = calls_from(slot, stack);
  if (calls.size == 0) return 0;
  const std::uint64_t key = hash_of(calls);
  python::Known known;
  if (!known_sites.find(key, known)) {
    known.site = site_of(calls);
    known_sites.add(key, known);
  }
  recorder::count_site_lookup(known.site != 0);
  return known.site;
}

}  // namespace stepscope

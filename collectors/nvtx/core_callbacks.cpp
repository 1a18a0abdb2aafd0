// SPDX-License-Identifier: Apache-2.0
// Modules CORE (default domain) and CORE2 (explicit domains). Slot numbers are NVTX's callback ids.
#include "collectors/nvtx/callbacks.hpp"
#include "collectors/nvtx/messages.hpp"
#include "collectors/nvtx/names.hpp"
#include "collectors/nvtx/payload.hpp"
#include "collectors/nvtx/ranges.hpp"

namespace stepscope::nvtx {
namespace {

template <typename Char>
void mark_text(const Char* message) noexcept {
  if (recorder::is_armed()) mark(nullptr, name_of(message));
}

template <typename Char>
std::uint64_t start_text(const Char* message) noexcept {
  return recorder::is_armed() ? start_range(nullptr, name_of(message)) : 0;
}

template <typename Char>
int push_text(const Char* message) noexcept {
  return recorder::is_armed() ? push_range(nullptr, name_of(message)) : kNoPushPopTracking;
}

int pop_default() noexcept {
  return pop_range(nullptr);
}

void domain_mark(const Domain* domain, const EventAttributes* event) noexcept {
  if (!recorder::is_armed()) return;
  mark(domain, name_of(event));
  note_payload(domain, event, PayloadOf::other);
}

std::uint64_t domain_start(const Domain* domain, const EventAttributes* event) noexcept {
  if (!recorder::is_armed()) return 0;
  const std::uint64_t id = start_range(domain, name_of(event));
  note_payload(domain, event, PayloadOf::other);
  return id;
}

void domain_end(const Domain*, std::uint64_t id) noexcept {
  end_range(id);
}

int domain_push(const Domain* domain, const EventAttributes* event) noexcept {
  if (!recorder::is_armed()) return kNoPushPopTracking;
  const int depth = push_range(domain, name_of(event));
  note_payload(domain, event, PayloadOf::range);
  return depth;
}

int domain_pop(const Domain* domain) noexcept {
  return pop_range(domain);
}

void mark_event(const EventAttributes* event) noexcept {
  domain_mark(nullptr, event);
}
std::uint64_t start_event(const EventAttributes* event) noexcept {
  return domain_start(nullptr, event);
}
int push_event(const EventAttributes* event) noexcept {
  return domain_push(nullptr, event);
}

template <typename Char>
Domain* domain_create(const Char* name) noexcept {
  return create_domain(label_of(name));
}

template <typename Char>
const void* register_string(const Domain*, const Char* text) noexcept {
  return handle_of(name_of(text));
}

void ignore_handle(const void*) noexcept {}

}  // namespace

std::span<const Callback> core_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(1, mark_event),
      callback(2, mark_text<char>),
      callback(3, mark_text<wchar_t>),
      callback(4, start_event),
      callback(5, start_text<char>),
      callback(6, start_text<wchar_t>),
      callback(7, end_range),
      callback(8, push_event),
      callback(9, push_text<char>),
      callback(10, push_text<wchar_t>),
      callback(11, pop_default),
      callback(12, name_category<char>),
      callback(13, name_category<wchar_t>),
      callback(14, name_thread<char>),
      callback(15, name_thread<wchar_t>),
  };
  return kCallbacks;
}

std::span<const Callback> core2_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(1, domain_mark),
      callback(2, domain_start),
      callback(3, domain_end),
      callback(4, domain_push),
      callback(5, domain_pop),
      callback(6, create_resource),
      callback(7, ignore_handle),  // resource destroy: labels stay
      callback(8, name_domain_category<char>),
      callback(9, name_domain_category<wchar_t>),
      callback(10, register_string<char>),
      callback(11, register_string<wchar_t>),
      callback(12, domain_create<char>),
      callback(13, domain_create<wchar_t>),
      callback(14, ignore_handle),  // domain destroy: the slot stays
      callback(15, ignore_handle),  // nvtxInitialize
  };
  return kCallbacks;
}

}  // namespace stepscope::nvtx

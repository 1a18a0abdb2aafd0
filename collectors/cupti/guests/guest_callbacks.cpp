// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/guest_callbacks.hpp"

namespace stepscope::cupti {

Status GuestCallbacks::subscribe(Subscriber* subscriber, Callback callback, void* user) noexcept {
  if (subscriber == nullptr || callback == nullptr) return kInvalidParameter;
  if (callback_.load() != nullptr) return kMultipleSubscribers;
  user_.store(user);
  callback_.store(callback, std::memory_order_release);
  *subscriber = this;
  return kSuccess;
}

Status GuestCallbacks::unsubscribe(const Library& library, Subscriber ours,
                                   IsOurs is_ours) noexcept {
  callback_.store(nullptr);
  for (std::uint32_t domain = 0; domain < kDomains; ++domain)
    (void)enable_domain(library, ours, is_ours, false, domain);
  return kSuccess;
}

Status GuestCallbacks::enable(const Library& library, Subscriber ours, IsOurs is_ours, bool on,
                              std::uint32_t domain, std::uint32_t id) noexcept {
  if (domain >= kDomains || id >= kIds) return kInvalidParameter;
  domains_[domain].ids[id].store(on);
  if (is_ours(domain, id)) return kSuccess;
  return library.enable_callback(on ? 1 : 0, ours, domain, id);
}

// Off goes id by id: switching the domain off would take ours along for a moment.
Status GuestCallbacks::enable_domain(const Library& library, Subscriber ours, IsOurs is_ours,
                                     bool on, std::uint32_t domain) noexcept {
  if (domain >= kDomains) return kInvalidParameter;
  const bool was_on = domains_[domain].all.exchange(on);
  if (on) return library.enable_domain(1, ours, domain);
  for (std::uint32_t id = 1; id < kIds; ++id) {
    const bool id_was_on = domains_[domain].ids[id].exchange(false);
    if ((was_on || id_was_on) && !is_ours(domain, id))
      (void)library.enable_callback(0, ours, domain, id);
  }
  return kSuccess;
}

bool GuestCallbacks::wants(std::uint32_t domain, std::uint32_t id) const noexcept {
  if (callback_.load(std::memory_order_acquire) == nullptr || domain >= kDomains || id >= kIds)
    return false;
  const Domains& wanted = domains_[domain];
  return wanted.all.load(std::memory_order_relaxed) ||
         wanted.ids[id].load(std::memory_order_relaxed);
}

[[gnu::cold]] void GuestCallbacks::call_guest(std::uint32_t domain, std::uint32_t id,
                                              const void* data) const noexcept {
  const Callback callback = callback_.load(std::memory_order_acquire);
  if (callback != nullptr && wants(domain, id)) callback(user_.load(), domain, id, data);
}

}  // namespace stepscope::cupti

// SPDX-License-Identifier: Apache-2.0
// A second subscriber in this process, which the program brought along (torch.profiler): CUPTI
// takes one, so its callbacks are called from ours. Ids that it enables and we do not are switched
// on with our subscription, and off again without it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

class GuestCallbacks {
 public:
  static constexpr std::uint32_t kDomains = 8;
  static constexpr std::uint32_t kIds = 1024;
  // Whether an id is ours and on: it stays so whatever the guest says.
  using IsOurs = bool (*)(std::uint32_t domain, std::uint32_t id) noexcept;

  // kMultipleSubscribers where there is one already, as CUPTI would say.
  Status subscribe(Subscriber* subscriber, Callback callback, void* user) noexcept;
  Status unsubscribe(const Library& library, Subscriber ours, IsOurs is_ours) noexcept;
  bool is(Subscriber subscriber) const noexcept { return subscriber == this; }

  Status enable(const Library& library, Subscriber ours, IsOurs is_ours, bool on,
                std::uint32_t domain, std::uint32_t id) noexcept;
  Status enable_domain(const Library& library, Subscriber ours, IsOurs is_ours, bool on,
                       std::uint32_t domain) noexcept;

  bool wants(std::uint32_t domain, std::uint32_t id) const noexcept;
  // The guest is gone: it is not called again.
  void drop() noexcept { callback_.store(nullptr); }

  // Calls the guest's callback from ours, where it asked for this id.
  void call(std::uint32_t domain, std::uint32_t id, const void* data) const noexcept {
    if (callback_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      call_guest(domain, id, data);
  }

 private:
  struct Domains {
    std::atomic<bool> all{false};
    std::array<std::atomic<bool>, kIds> ids{};
  };
  void call_guest(std::uint32_t domain, std::uint32_t id, const void* data) const noexcept;

  std::atomic<Callback> callback_{nullptr};
  std::atomic<void*> user_{nullptr};
  std::array<Domains, kDomains> domains_{};
};

}  // namespace stepscope::cupti

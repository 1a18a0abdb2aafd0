// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions, interposed under LD_PRELOAD for other users of CUPTI in the process (libtorch
// is linked to it). While we collect they are served beside us; else the calls go on to the
// libcupti that the process has. Our own calls never come here: they are looked up in that library
// itself.
#include "collectors/cupti/guests/sharing.hpp"
#include "collectors/inject/real_functions.hpp"

#define STEPSCOPE_EXPORT __attribute__((visibility("default")))

namespace {

using namespace stepscope::cupti;

constexpr Status kNoLibrary = kNotInitialized;

template <class... Parameters>
Status call(const char* name, Status (*shared)(Parameters...) noexcept,
            Parameters... arguments) noexcept {
  if (serving()) return shared(arguments...);
  const auto real = reinterpret_cast<Status (*)(Parameters...)>(
      stepscope::inject::real_function(name, "/libcupti.so"));
  return real == nullptr ? kNoLibrary : real(arguments...);
}

}  // namespace

extern "C" {

STEPSCOPE_EXPORT Status cuptiSubscribe(Subscriber* subscriber, Callback callback, void* user) {
  return call("cuptiSubscribe", shared::subscribe, subscriber, callback, user);
}

STEPSCOPE_EXPORT Status cuptiUnsubscribe(Subscriber subscriber) {
  return call("cuptiUnsubscribe", shared::unsubscribe, subscriber);
}

STEPSCOPE_EXPORT Status cuptiEnableCallback(std::uint32_t enable, Subscriber subscriber,
                                            std::uint32_t domain, std::uint32_t id) {
  return call("cuptiEnableCallback", shared::enable_callback, enable, subscriber, domain, id);
}

STEPSCOPE_EXPORT Status cuptiEnableDomain(std::uint32_t enable, Subscriber subscriber,
                                          std::uint32_t domain) {
  return call("cuptiEnableDomain", shared::enable_domain, enable, subscriber, domain);
}

STEPSCOPE_EXPORT Status cuptiEnableAllDomains(std::uint32_t enable, Subscriber subscriber) {
  return call("cuptiEnableAllDomains", shared::enable_all_domains, enable, subscriber);
}

STEPSCOPE_EXPORT Status cuptiActivityRegisterCallbacks(RequestBuffer request,
                                                       CompleteBuffer complete) {
  return call("cuptiActivityRegisterCallbacks", shared::register_buffers, request, complete);
}

STEPSCOPE_EXPORT Status cuptiActivityRegisterTimestampCallback(TimestampFunction function) {
  return call("cuptiActivityRegisterTimestampCallback", shared::register_clock, function);
}

STEPSCOPE_EXPORT Status cuptiActivityEnable(ActivityKind kind) {
  return call("cuptiActivityEnable", shared::enable, kind);
}

STEPSCOPE_EXPORT Status cuptiActivityDisable(ActivityKind kind) {
  return call("cuptiActivityDisable", shared::disable, kind);
}

STEPSCOPE_EXPORT Status cuptiActivityFlushAll(std::uint32_t flag) {
  return call("cuptiActivityFlushAll", shared::flush_all, flag);
}

STEPSCOPE_EXPORT Status cuptiFinalize() {
  return call("cuptiFinalize", shared::finalize);
}

}  // extern "C"

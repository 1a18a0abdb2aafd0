// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/calls/call_hooks.hpp"

#include <algorithm>

namespace stepscope::cupti {
namespace {

// Names without "cuda" or "cu": most exist in both interfaces.
constexpr std::array<std::string_view, 30> kNoise = {
    "CtxGetCurrent",      "CtxGetDevice",        "CtxPopCurrent",
    "CtxPushCurrent",     "CtxSetCurrent",       "DeviceGet",
    "DeviceGetAttribute", "DeviceGetCount",      "DevicePrimaryCtxGetState",
    "DriverGetVersion",   "EventCreate",         "EventCreateWithFlags",
    "EventDestroy",       "FuncGetAttribute",    "GetDevice",
    "GetDeviceCount",     "GetErrorName",        "GetErrorString",
    "GetLastError",       "GetProcAddress",      "KernelGetAttribute",
    "PeekAtLastError",    "PointerGetAttribute", "PointerGetAttributes",
    "RuntimeGetVersion",  "SetDevice",           "StreamGetCaptureInfo",
    "StreamGetCtx",       "StreamIsCapturing",   "ThreadExchangeStreamCaptureMode",
};

bool is_version(std::string_view suffix) noexcept {
  return suffix.size() > 1 && suffix[0] == 'v' &&
         suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::string_view without_suffixes(std::string_view name) noexcept {
  for (;;) {
    const std::size_t at = name.rfind('_');
    if (at == std::string_view::npos) return name;
    const std::string_view suffix = name.substr(at + 1);
    if (suffix != "ptsz" && suffix != "ptds" && !is_version(suffix)) return name;
    name = name.substr(0, at);
  }
}

std::string_view stem_of(std::string_view name) noexcept {
  for (const std::string_view prefix : {"cuda", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

}  // namespace

CallName call_name(const Library& library, Domain domain, std::uint32_t id) noexcept {
  CallName out{};
  const char* full = nullptr;
  if (library.callback_name == nullptr ||
      library.callback_name(static_cast<std::uint32_t>(domain), id, &full) != kSuccess ||
      full == nullptr || std::string_view(full) == "INVALID")
    return out;
  const std::string_view name = without_suffixes(full);
  std::copy_n(name.begin(), std::min(name.size(), out.size() - 1), out.begin());
  return out;
}

bool is_noise(std::string_view name) noexcept {
  if (name.starts_with("__")) return true;  // from the compiler's own code, around real calls
  return std::find(kNoise.begin(), kNoise.end(), stem_of(name)) != kNoise.end();
}

}  // namespace stepscope::cupti

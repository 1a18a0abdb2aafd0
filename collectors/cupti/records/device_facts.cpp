// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/records/activity_source.hpp"

#include <array>
#include <cstdio>

#include "core/support/dynamic_library.hpp"

namespace stepscope::cupti {
namespace {

constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;  // CUdevice_attribute

std::string text_of(const std::array<unsigned char, 16>& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    std::array<char, 4> byte{};
    std::snprintf(byte.data(), byte.size(), "%02x", uuid[i]);
    text += byte.data();
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace

std::optional<Device> device_facts(std::uint32_t index) noexcept {
  const DynamicLibrary driver("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver.is_open()) return std::nullopt;
  const auto get = driver.find<int (*)(int*, int)>("cuDeviceGet");
  const auto name_of = driver.find<int (*)(char*, int, int)>("cuDeviceGetName");
  const auto memory_of = driver.find<int (*)(std::size_t*, int)>("cuDeviceTotalMem_v2");
  const auto attribute = driver.find<int (*)(int*, int, int)>("cuDeviceGetAttribute");
  const auto uuid_of = driver.find<int (*)(unsigned char*, int)>("cuDeviceGetUuid_v2");
  int handle = 0;
  if (get == nullptr || name_of == nullptr || get(&handle, static_cast<int>(index)) != 0)
    return std::nullopt;
  std::array<char, 256> name{};
  if (name_of(name.data(), static_cast<int>(name.size()), handle) != 0) return std::nullopt;
  Device device;
  device.index = index;
  device.name = name.data();
  std::size_t bytes = 0;
  if (memory_of != nullptr && memory_of(&bytes, handle) == 0) device.memory_bytes = bytes;
  const auto number = [&](int what) {
    int value = 0;
    return attribute != nullptr && attribute(&value, what, handle) == 0 && value > 0
               ? static_cast<std::uint32_t>(value)
               : 0U;
  };
  device.multiprocessors = number(kMultiprocessors);
  device.compute_major = number(kMajor);
  device.compute_minor = number(kMinor);
  std::array<unsigned char, 16> uuid{};
  if (uuid_of != nullptr && uuid_of(uuid.data(), handle) == 0) device.uuid = text_of(uuid);
  return device;
}

}  // namespace stepscope::cupti

// SPDX-License-Identifier: Apache-2.0
// The libnvidia-ml.so.1 of the driver: opened by name, never linked. It is the driver's own, so
// there is one and its version is the driver's.
#pragma once

#include <array>

#include "collectors/nvml/nvml_abi.hpp"

namespace stepscope::nvml {

// The functions that are used. The boundary to the vendor: tests fill it with their own. Those from
// `error_text` on may be missing (null): what they give is then not sampled.
struct Library {
  Status (*init)();
  Status (*device_by_uuid)(const char* uuid, Handle* device);
  Status (*index_of)(Handle device, unsigned* index);
  const char* (*error_text)(Status status);
  Status (*driver_version)(char* text, unsigned bytes);
  Status (*clock)(Handle device, unsigned which, unsigned* mhz);
  Status (*power)(Handle device, unsigned* milliwatts);
  Status (*clock_reasons)(Handle device, unsigned long long* bits);
  Status (*temperature)(Handle device, unsigned sensor, unsigned* celsius);
  Status (*memory)(Handle device, Memory* memory);
  Status (*processes)(Handle device, unsigned* count, ProcessInfo* list);
  Status (*fields)(Handle device, int count, FieldValue* values);
  Status (*count_of_devices)(unsigned* count);
  Status (*device_at)(unsigned index, Handle* device);
  Status (*name_of)(Handle device, char* text, unsigned bytes);
  Status (*mig_mode)(Handle device, unsigned* now, unsigned* after_a_reset);
  Status (*power_limit)(Handle device, unsigned* milliwatts);
  Status (*default_power_limit)(Handle device, unsigned* milliwatts);
};

struct FoundLibrary {
  bool usable = false;
  Library functions{};
  std::array<char, 256> why_not{};  // one sentence with the remedy, where it is not usable
};

FoundLibrary find_library() noexcept;

// What a status means, in the library's words or as its number.
using ErrorText = std::array<char, 96>;
ErrorText text_of(const Library& library, Status status) noexcept;

}  // namespace stepscope::nvml

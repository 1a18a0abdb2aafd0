// SPDX-License-Identifier: Apache-2.0
// What this machine has of that which collecting needs, as plainly as it can be asked: files, the
// driver's and NVML's own answers, the Python of the PATH. Nothing is started on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::doctor {

struct Gpu {
  std::string name;
  bool mig = false;
  std::vector<std::string> not_sampled;  // counters that a reading did not give
};

struct Facts {
  bool device_node = false;         // /dev/nvidiactl
  std::optional<int> cuda_version;  // of the driver: 13000 is 13.0; nothing: no libcuda.so.1
  std::string driver_version;       // "580.159.04"; empty where the kernel module is not loaded
  std::optional<bool> counters_for_administrators_only;
  bool administrator = false;
  bool nvml = false;  // found and started
  std::string nvml_why_not;
  std::string nvml_version;  // of the driver, as NVML says it
  std::vector<Gpu> gpus;
  bool mps = false;

  std::string cupti_path;  // that of torch, of CUDA_HOME or of the system; empty: none
  std::uint32_t cupti_version = 0;
  std::string cupti_why_not;

  std::string inject_library;  // empty: not found
  std::vector<std::string> rivals;
  std::string preload;  // LD_PRELOAD of the caller

  std::string python;         // "3.11.2"; empty: no python3 in the PATH
  std::string torch_version;  // empty: that Python has no torch
  bool torch_tested = false;

  bool invariant_tsc = false;
  std::uint64_t free_bytes = 0;  // where a trace would be written
  std::string folder;
};

Facts gather_facts(const std::string& output_folder);

}  // namespace stepscope::doctor

// SPDX-License-Identifier: Apache-2.0
// Facts of this machine that decide what can be collected, from the plainest sources: files, the
// driver's and NVML's own answers, the Python of the PATH. Nothing is started on the device.
//
// Each `ask` function fills its part of the facts and needs those of the functions above it. What
// is not ours (a vendor's library, Python) is asked only where it is needed, and in a child process
// (question.hpp): its `..._why_not` then says how the child ended.
#pragma once

#include <chrono>
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
  std::string folder = ".";                    // where a trace would be written
  std::chrono::milliseconds patience{20'000};  // for each answer

  std::string inject_library;   // empty: not found
  std::string preload_why_not;  // why LD_PRELOAD cannot hold it

  std::string python;  // "3.11.2"; empty: no python3 in the PATH, or it did not answer
  std::string python_why_not;
  std::string torch_folder;
  std::string torch_version;  // empty: that Python has no torch
  bool torch_tested = false;

  bool device_node = false;     // /dev/nvidiactl
  std::string driver_version;   // "580.159.04"; empty where the kernel module is not loaded
  bool driver_library = false;  // libcuda.so.1 loads
  // CUDA version of the driver: 13000 is 13.0; nothing: it gave none.
  std::optional<int> cuda_version;
  std::string driver_why_not;  // why libcuda.so.1 gave no version
  std::optional<bool> counters_for_administrators_only;
  bool administrator = false;
  bool mps = false;

  bool nvml = false;  // found and started
  std::string nvml_why_not;
  std::string nvml_version;  // version of the driver, as NVML reports it
  std::vector<Gpu> gpus;

  std::string cupti_path;  // torch's, CUDA_HOME's or the system's; empty: none
  std::uint32_t cupti_version = 0;
  std::string cupti_why_not;  // empty: it can be used

  std::vector<std::string> rivals;
  std::string preload;  // LD_PRELOAD of the caller

  bool invariant_tsc = false;
  std::uint64_t free_bytes = 0;

  bool has_driver() const { return device_node || driver_library || !driver_version.empty(); }
};

void ask_for_own_library(Facts& facts);
void ask_python(Facts& facts);
void ask_driver(Facts& facts);
void ask_nvml(Facts& facts);   // where there is a driver
void ask_cupti(Facts& facts);  // where libcuda.so.1 answers
void ask_environment(Facts& facts);
void ask_machine(Facts& facts);  // clock and disk

}  // namespace stepscope::doctor

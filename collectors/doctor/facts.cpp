// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/facts.hpp"

#include <dlfcn.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/launcher/environment.hpp"
#include "collectors/nvml/device_reader.hpp"
#include "collectors/record_function/torch_library.hpp"
#include "collectors/recorder/clock.hpp"

namespace stepscope::doctor {
namespace {

namespace fs = std::filesystem;

template <class Function>
Function find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...": the first word of digits and
// dots.
std::string module_version(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('\n')));
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  }
  return "";
}

void ask_driver(Facts& facts) {
  facts.device_node = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
  facts.driver_version = module_version(text_of("/proc/driver/nvidia/version"));
  const std::string parameters = text_of("/proc/driver/nvidia/params");
  if (const std::size_t at = parameters.find("RmProfilingAdminOnly:"); at != std::string::npos)
    facts.counters_for_administrators_only = parameters.find('1', at) < parameters.find('\n', at);
  facts.administrator = geteuid() == 0;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int version = 0;
  const auto get = find<int (*)(int*)>(driver, "cuDriverGetVersion");
  if (get != nullptr && get(&version) == 0) facts.cuda_version = version;
  const char* pipe = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  facts.mps = access(pipe != nullptr ? pipe : "/tmp/nvidia-mps", F_OK) == 0;
}

// A reading as the sampler makes it. NVLink is not missed, and this process has no memory there.
std::vector<std::string> counters_without_value(const nvml::Library& library, void* device) {
  const nvml::Reading reading =
      nvml::DeviceReader(library, static_cast<nvml::Handle>(device), 0).read();
  std::vector<std::string> missing;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(DeviceCounter::memory_used_bytes); ++i) {
    const auto counter = static_cast<DeviceCounter>(i);
    if (!reading.has(counter)) missing.emplace_back(name_of(counter));
  }
  return missing;
}

bool start_nvml(const nvml::FoundLibrary& found, Facts& facts) {
  facts.nvml_why_not = found.why_not.data();
  if (!found.usable) return false;
  const nvml::Library& library = found.functions;
  if (const nvml::Status status = library.init(); status != nvml::kSuccess) {
    facts.nvml_why_not = nvml::text_of(library, status).data();
    return false;
  }
  std::array<char, 96> version{};
  if (library.driver_version != nullptr &&
      library.driver_version(version.data(), version.size()) == nvml::kSuccess)
    facts.nvml_version = version.data();
  return true;
}

// What only doctor asks, by name; a device is a pointer.
void ask_nvml(Facts& facts) {
  const nvml::FoundLibrary found = nvml::find_library();
  facts.nvml = start_nvml(found, facts);
  if (!facts.nvml) return;
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  const auto count_of = find<int (*)(unsigned*)>(nvml, "nvmlDeviceGetCount_v2");
  const auto device_at = find<int (*)(unsigned, void**)>(nvml, "nvmlDeviceGetHandleByIndex_v2");
  const auto name_of = find<int (*)(void*, char*, unsigned)>(nvml, "nvmlDeviceGetName");
  const auto mig_of = find<int (*)(void*, unsigned*, unsigned*)>(nvml, "nvmlDeviceGetMigMode");
  if (count_of == nullptr || device_at == nullptr) return;
  unsigned count = 0;
  (void)count_of(&count);
  for (unsigned index = 0; index < count; ++index) {
    void* device = nullptr;
    if (device_at(index, &device) != 0) continue;
    Gpu gpu;
    std::array<char, 128> name{};
    if (name_of != nullptr && name_of(device, name.data(), name.size()) == 0)
      gpu.name = name.data();
    unsigned now = 0, later = 0;
    gpu.mig = mig_of != nullptr && mig_of(device, &now, &later) == 0 && now != 0;
    gpu.not_sampled = counters_without_value(found.functions, device);
    facts.gpus.push_back(gpu);
  }
}

std::string output_of(const char* command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  std::string text;
  std::array<char, 512> part{};
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe.get()) != nullptr)
    text += part.data();
  return text;
}

// Three lines: Python's version, torch's folder, torch's version. torch is looked for, not
// imported.
constexpr const char* kAskPython =
    "timeout 20 python3 -c 'import importlib.util, importlib.metadata, os, platform\n"
    "print(platform.python_version())\n"
    "spec = importlib.util.find_spec(\"torch\")\n"
    "print(os.path.dirname(spec.origin) if spec and spec.origin else \"\")\n"
    "print(importlib.metadata.version(\"torch\") if spec else \"\")' 2>/dev/null";

std::string torch_folder(Facts& facts) {
  std::istringstream lines(output_of(kAskPython));
  std::string folder;
  std::getline(lines, facts.python);
  std::getline(lines, folder);
  std::getline(lines, facts.torch_version);
  facts.torch_tested = is_tested_torch(facts.torch_version);
  return folder;
}

// A program with torch takes the copy beside it, before that of the system.
void look_for_cupti(Facts& facts, const std::string& torch) {
  for (const char* below :
       {"../nvidia/cu13/lib/libcupti.so.13", "../nvidia/cuda_cupti/lib/libcupti.so.12"}) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(fs::path(torch) / below, error);
    if (!torch.empty() && fs::exists(path, error)) (void)dlopen(path.c_str(), RTLD_NOW);
  }
  const cupti::FoundLibrary found = cupti::find_library();
  facts.cupti_why_not = found.why_not.data();
  if (!found.usable) return;
  facts.cupti_path = found.path.data();
  (void)found.functions.get_version(&facts.cupti_version);
}

void look_for_rivals(Facts& facts) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0' && facts.inject_library != value)
      facts.rivals.push_back(std::string(variable) + "=" + value);
  }
  if (const char* preload = std::getenv("LD_PRELOAD")) facts.preload = preload;
}

}  // namespace

Facts gather_facts(const std::string& output_folder) {
  Facts facts;
  facts.inject_library = launcher::find_inject_library();
  ask_driver(facts);
  ask_nvml(facts);
  look_for_cupti(facts, torch_folder(facts));
  look_for_rivals(facts);
  facts.invariant_tsc = recorder::tsc_is_invariant();
  facts.folder = output_folder;
  struct statvfs disk {};
  if (statvfs(output_folder.c_str(), &disk) == 0)
    facts.free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return facts;
}

}  // namespace stepscope::doctor

// SPDX-License-Identifier: Apache-2.0
// The facts that come from the vendor's files and libraries. All calls into a library are
// inside the functions that `ask` runs in a child process.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/doctor/facts.hpp"
#include "collectors/doctor/question.hpp"
#include "collectors/nvml/device_reader.hpp"
#include "collectors/nvml/nvml_library.hpp"
#include "core/support/dynamic_library.hpp"

namespace stepscope::doctor {
namespace {

namespace fs = std::filesystem;

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

void ask_libcuda(const Say& say) {
  const DynamicLibrary driver("libcuda.so.1");
  if (!driver.is_open()) return;
  say("opened", "yes");
  int version = 0;
  const auto get = driver.find<int (*)(int*)>("cuDriverGetVersion");
  const int status = get == nullptr ? -1 : get(&version);
  if (status == 0) return say("version", std::to_string(version));
  say("why", get == nullptr ? "has no cuDriverGetVersion"
                            : "gives error " + std::to_string(status) + " in place of its version");
}

// A reading as the sampler makes it. NVLink is not missed, and this process has no memory there.
void say_missing_counters(const nvml::Library& library, nvml::Handle device, const Say& say) {
  const nvml::Reading reading = nvml::DeviceReader(library, device, 0).read();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(DeviceCounter::memory_used_bytes); ++i) {
    const auto counter = static_cast<DeviceCounter>(i);
    if (!reading.has(counter)) say("not_sampled", std::string(name_of(counter)));
  }
}

void say_device(const nvml::Library& library, nvml::Handle device, const Say& say) {
  std::array<char, 128> name{};
  if (library.name_of == nullptr ||
      library.name_of(device, name.data(), name.size()) != nvml::kSuccess)
    name[0] = '\0';
  say("gpu", name.data());
  unsigned now = 0, later = 0;
  if (library.mig_mode != nullptr && library.mig_mode(device, &now, &later) == nvml::kSuccess &&
      now != 0)
    say("mig", "on");
  say_missing_counters(library, device, say);
}

void ask_libnvml(const Say& say) {
  const nvml::FoundLibrary found = nvml::find_library();
  if (!found.usable) return say("why", found.why_not.data());
  const nvml::Library& library = found.functions;
  if (const nvml::Status status = library.init(); status != nvml::kSuccess)
    return say("why", nvml::text_of(library, status).data());
  std::array<char, 96> version{};
  if (library.driver_version != nullptr &&
      library.driver_version(version.data(), version.size()) == nvml::kSuccess)
    say("version", version.data());
  unsigned count = 0;
  if (library.count_of_devices == nullptr || library.device_at == nullptr) return;
  (void)library.count_of_devices(&count);
  for (unsigned index = 0; index < count; ++index) {
    nvml::Handle device = nullptr;
    if (library.device_at(index, &device) == nvml::kSuccess) say_device(library, device, say);
  }
}

std::vector<Gpu> gpus_in(const Answer& answer) {
  std::vector<Gpu> gpus;
  for (const auto& [name, value] : answer.said) {
    if (name == "gpu") gpus.push_back({value, false, {}});
    if (name == "mig") gpus.back().mig = true;
    if (name == "not_sampled") gpus.back().not_sampled.push_back(value);
  }
  return gpus;
}

// A program with torch takes the copy beside it, before that of the system.
void ask_libcupti(const std::string& torch, const Say& say) {
  for (const char* below :
       {"../nvidia/cu13/lib/libcupti.so.13", "../nvidia/cuda_cupti/lib/libcupti.so.12"}) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(fs::path(torch) / below, error);
    if (!torch.empty() && fs::exists(path, error)) (void)DynamicLibrary(path.c_str());
  }
  const cupti::FoundLibrary found = cupti::find_library();
  if (!found.usable) return say("why", found.why_not.data());
  say("path", found.path.data());
  std::uint32_t version = 0;
  (void)found.functions.get_version(&version);
  say("version", std::to_string(version));
}

std::uint32_t number_in(const std::string& text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

}  // namespace

void ask_driver(Facts& facts) {
  facts.device_node = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
  facts.driver_version = module_version(text_of("/proc/driver/nvidia/version"));
  const std::string parameters = text_of("/proc/driver/nvidia/params");
  if (const std::size_t at = parameters.find("RmProfilingAdminOnly:"); at != std::string::npos)
    facts.counters_for_administrators_only = parameters.find('1', at) < parameters.find('\n', at);
  facts.administrator = geteuid() == 0;
  const char* pipe = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  facts.mps = access(pipe != nullptr ? pipe : "/tmp/nvidia-mps", F_OK) == 0;

  const Answer answer = ask(ask_libcuda, facts.patience);
  facts.driver_library = !answer.said.empty() || !answer.failure.empty();
  facts.driver_why_not = answer.failure.empty() ? answer.value_of("why") : answer.failure;
  if (const std::string version = answer.value_of("version"); !version.empty())
    facts.cuda_version = static_cast<int>(number_in(version));
}

void ask_nvml(Facts& facts) {
  if (!facts.has_driver()) return;
  const Answer answer = ask(ask_libnvml, facts.patience);
  facts.nvml_why_not =
      answer.failure.empty() ? answer.value_of("why") : "libnvidia-ml.so.1 " + answer.failure;
  facts.nvml = facts.nvml_why_not.empty();
  facts.nvml_version = answer.value_of("version");
  facts.gpus = gpus_in(answer);
}

void ask_cupti(Facts& facts) {
  if (!facts.cuda_version) return;
  const Answer answer =
      ask([&](const Say& say) { ask_libcupti(facts.torch_folder, say); }, facts.patience);
  facts.cupti_path = answer.value_of("path");
  facts.cupti_version = number_in(answer.value_of("version"));
  const std::string which = facts.cupti_path.empty() ? "a libcupti" : facts.cupti_path;
  facts.cupti_why_not =
      answer.failure.empty() ? answer.value_of("why") : which + " " + answer.failure;
}

}  // namespace stepscope::doctor

// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::doctor {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::uint64_t kScarceBytes = kGiB;                      // minutes of a launch-bound loop
constexpr std::uint64_t kTooFewBytes = std::uint64_t{32} << 20U;  // what profile refuses

// 13010 -> "13.1"
std::string cuda_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// CUPTI counts 26 for 12.6; since 13.0 major * 10000 + minor * 100 + update.
int cuda_of_cupti(std::uint32_t version) {
  return version >= 130000 ? static_cast<int>(version / 10000 * 1000 + version % 10000 / 100 * 10)
                           : 0;
}

Check injection(const Facts& f) {
  if (f.inject_library.empty())
    return {"library", State::missing, "libstepscope_inject.so is not beside stepscope",
            "build it (target stepscope_inject), or name it in STEPSCOPE_INJECT_LIBRARY"};
  if (!f.preload_why_not.empty())
    return {"library", State::missing, f.preload_why_not, "make that folder yours, or set TMPDIR"};
  return {"library", State::good, f.inject_library, ""};
}

Check driver(const Facts& f) {
  if (!f.has_driver())
    return {"driver", State::absent, "no NVIDIA GPU here: the CPU side of runs is recorded", ""};
  if (!f.driver_library)
    return {"driver", State::missing, "a GPU, but no libcuda.so.1",
            "install the driver's user-space libraries, or start the container with the GPU"};
  if (!f.cuda_version)
    return {"driver", State::missing, "libcuda.so.1 " + f.driver_why_not,
            "see whether nvidia-smi works; if not, install the driver again"};
  const std::string cuda = "CUDA " + cuda_text(*f.cuda_version);
  if (!f.device_node && f.driver_version.empty())
    return {"driver", State::limited, cuda + ", but no GPU (/dev/nvidiactl is not there)",
            "where this machine has one, start the container with it; the CPU side is recorded"};
  const std::string version = f.driver_version.empty() ? "unknown version" : f.driver_version;
  return {"driver", State::good, version + ", " + cuda, ""};
}

Check gpus(const Facts& f) {
  if (!f.nvml)
    return {"GPUs", State::limited, "NVML does not name them", "see clocks; traces do not need it"};
  if (f.gpus.empty())
    return {"GPUs", State::limited, "NVML names none", "see what nvidia-smi -L says"};
  std::string names;
  bool mig = false;
  for (const Gpu& gpu : f.gpus) {
    names += (names.empty() ? "" : ", ") + gpu.name;
    mig = mig || gpu.mig;
  }
  if (mig)
    return {"GPUs", State::limited, names + "; MIG is on",
            "activity is recorded in an instance; its counters are not"};
  return {"GPUs", State::good, names, ""};
}

// "sm_clock_mhz, power_mw", of all GPUs.
std::string not_sampled(const Facts& f) {
  std::vector<std::string> names;
  for (const Gpu& gpu : f.gpus) {
    for (const std::string& name : gpu.not_sampled) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Check clocks(const Facts& f) {
  if (!f.nvml)
    return {"clocks", State::limited, "clocks, power and memory are not sampled: " + f.nvml_why_not,
            "install the driver's libnvidia-ml.so.1 (see whether nvidia-smi works); for a "
            "container, NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
  if (const std::string missing = not_sampled(f); !missing.empty())
    return {"clocks", State::limited, "not shown by this GPU or not to this user: " + missing,
            "the other counters are sampled; the report leaves these out"};
  return {"clocks", State::good,
          fmt::format("sampled through NVML{}: clocks, throttling, power, temperature, memory",
                      f.nvml_version.empty() ? "" : " " + f.nvml_version),
          ""};
}

Check cupti(const Facts& f) {
  if (!f.cuda_version)
    return {"CUPTI", State::missing, "not asked: it needs a libcuda.so.1 that answers", ""};
  if (f.cupti_path.empty() && f.cupti_version == 0)
    return {"CUPTI", State::missing, f.cupti_why_not, ""};
  if (!f.cupti_why_not.empty())
    return {"CUPTI", State::missing, f.cupti_why_not + " when it was asked for its version",
            fmt::format("install another: pip install 'nvidia-cuda-cupti=={}.*'",
                        cuda_text(*f.cuda_version))};
  const int needs = cuda_of_cupti(f.cupti_version);
  const std::string found = fmt::format("{}, version {}", f.cupti_path, f.cupti_version);
  // A minor version of CUDA runs on any driver of its major version; CUPTI does not.
  if (f.cuda_version && needs > *f.cuda_version)
    return {"CUPTI", State::missing,
            fmt::format("{} is newer than the driver's CUDA {}", found, cuda_text(*f.cuda_version)),
            fmt::format("pip install 'nvidia-cuda-cupti=={}.*', or update the driver",
                        cuda_text(*f.cuda_version))};
  return {"CUPTI", State::good, found, ""};
}

Check rivals(const Facts& f) {
  if (f.rivals.empty()) return {"other tools", State::good, "none in the environment", ""};
  return {"other tools", State::limited, fmt::format("{}", fmt::join(f.rivals, ", ")),
          "unset it: one tool at a time can trace a process's device"};
}

Check counters(const Facts& f) {
  if (!f.counters_for_administrators_only)
    return {"counters", State::absent, "the driver does not say who may read them", ""};
  if (!*f.counters_for_administrators_only || f.administrator)
    return {"counters", State::good, "readable (not needed for traces)", ""};
  return {"counters", State::limited, "for administrators only; traces do not need them",
          "the module option NVreg_RestrictProfilingToAdminUsers=0 opens them"};
}

std::optional<Check> where_mps_runs(const Facts& f) {
  if (!f.has_driver() || !f.mps) return std::nullopt;
  return Check{"MPS", State::limited,
               "a control daemon's folder is there: kernels of several processes share the device",
               "each process sees its own work only; stop MPS to measure one alone"};
}

Check python(const Facts& f) {
  if (f.python.empty()) return {"Python", State::absent, f.python_why_not, ""};
  for (const char* known : {"3.9.", "3.10.", "3.11.", "3.12.", "3.13.", "3.14."}) {
    if (f.python.starts_with(known))
      return {"Python", State::good, f.python + ": lines are recorded", ""};
  }
  return {"Python", State::limited, f.python + ": lines are not recorded",
          "use CPython 3.9 to 3.14"};
}

Check torch(const Facts& f) {
  if (f.torch_version.empty() && !f.python.empty() && !f.python_why_not.empty())
    return {"PyTorch", State::limited, "not known: " + f.python_why_not + " while it looked for it",
            "see what python3 -c 'import torch' says"};
  if (f.torch_version.empty())
    return {"PyTorch", State::absent, "this python3 has none; C++ programs bring their own", ""};
  if (f.torch_tested)
    return {"PyTorch", State::good, f.torch_version + ": ops, scopes and backward nodes", ""};
  return {"PyTorch", State::limited, f.torch_version + ": its ops and scopes are not recorded",
          "torch 2.4 to 2.15 are tested, nightly builds are not; CUDA calls and NVTX ranges are "
          "recorded with any"};
}

Check preload(const Facts& f) {
  if (f.preload.empty()) return {"LD_PRELOAD", State::good, "free", ""};
  return {"LD_PRELOAD", State::good, f.preload + " stays in front", ""};
}

Check clock(const Facts& f) {
  if (f.invariant_tsc) return {"clock", State::good, "the CPU's time-stamp counter", ""};
  return {"clock", State::limited,
          "no invariant time-stamp counter: each record costs a clock_gettime more", ""};
}

Check disk(const Facts& f) {
  const std::string free =
      fmt::format("{:.1f} GiB free in {}",
                  static_cast<double>(f.free_bytes) / static_cast<double>(kGiB), f.folder);
  if (f.free_bytes < kTooFewBytes)
    return {"disk", State::missing, free, "free some space, or write elsewhere with profile -o"};
  if (f.free_bytes < kScarceBytes)
    return {"disk", State::limited, free, "a launch-bound loop writes about 1 MB a second"};
  return {"disk", State::good, free, ""};
}

void ask_nothing_more(Facts& /*facts*/) {}

template <Check (*judge)(const Facts&)>
std::optional<Check> always(const Facts& facts) {
  return judge(facts);
}

template <Check (*judge)(const Facts&)>
std::optional<Check> with_driver(const Facts& facts) {
  return facts.has_driver() ? std::optional(judge(facts)) : std::nullopt;
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {ask_for_own_library, always<injection>},
      {ask_python, always<python>},
      {ask_nothing_more, always<torch>},
      {ask_driver, always<driver>},
      {ask_nvml, with_driver<gpus>},
      {ask_nothing_more, with_driver<clocks>},
      {ask_cupti, with_driver<cupti>},
      {ask_environment, with_driver<rivals>},
      {ask_nothing_more, with_driver<counters>},
      {ask_nothing_more, where_mps_runs},
      {ask_nothing_more, always<preload>},
      {ask_machine, always<clock>},
      {ask_nothing_more, always<disk>},
  };
  return all;
}

}  // namespace stepscope::doctor

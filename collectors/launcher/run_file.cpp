// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/run_file.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collectors/launcher/core_limit.hpp"

namespace stepscope::launcher {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 16> kKept = {
    "RANK",       "LOCAL_RANK",    "WORLD_SIZE", "LOCAL_WORLD_SIZE",
    "GROUP_RANK", "MASTER_",       "SLURM_",     "OMPI_COMM_WORLD_",
    "PMI_",       "TORCHELASTIC_", "NCCL_",      "GLOO_",
    "CUDA_",      "OMP_",          "MKL_",       "PYTORCH_"};

Json kept(const Environment& environment) {
  Json out = Json::object();
  for (const auto& [key, value] : environment) {
    const std::string& name = key;
    if (std::any_of(kKept.begin(), kKept.end(),
                    [&](std::string_view p) { return name.starts_with(p); })) {
      out[key] = value;
    }
  }
  return out;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

Json machine() {
  utsname system{};
  uname(&system);
  return {{"host", system.nodename},
          {"kernel", system.release},
          {"architecture", system.machine},
          {"cpu", cpu_model()},
          {"cpus", usable_cores()}};
}

Json exit_of(const RunFacts& facts) {
  if (facts.signal) return {{"signal", *facts.signal}};
  if (facts.exit_status) return {{"status", *facts.exit_status}};
  return nullptr;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Status write_run_file(const std::string& folder, const RunFacts& facts,
                      const Environment& environment) {
  std::error_code error;
  const Json run = {{"schema", "stepscope.run/1"},
                    {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
                    {"command", facts.command},
                    {"folder", std::filesystem::current_path(error).string()},
                    {"level", facts.level},
                    {"ops", facts.ops},
                    {"only", facts.only.empty() ? Json(nullptr) : Json(facts.only)},
                    {"started_ns", facts.started_ns},
                    {"ended_ns", or_null(facts.ended_ns)},
                    {"exit", exit_of(facts)},
                    {"processes", facts.processes},
                    {"recovered", facts.recovered},
                    {"rivals", facts.rivals},
                    {"machine", machine()},
                    {"environment", kept(environment)}};
  const std::string path = folder + "/run.json", partial = path + ".new";
  std::ofstream file(partial);
  file << run.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  file.close();
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    const int code = errno;
    unlink(partial.c_str());
    return io_error("cannot write " + path + ": " + std::strerror(code));
  }
  return Done{};
}

}  // namespace stepscope::launcher

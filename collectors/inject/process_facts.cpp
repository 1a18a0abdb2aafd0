// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/process_facts.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "collectors/inject/settings.hpp"
#include "collectors/recorder/launchers.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::inject {
namespace {

constexpr std::string_view kPrefixes[] = {"RANK=",
                                          "LOCAL_RANK=",
                                          "WORLD_SIZE=",
                                          "LOCAL_WORLD_SIZE=",
                                          "GROUP_RANK=",
                                          "MASTER_",
                                          "SLURM_",
                                          "OMPI_COMM_WORLD_",
                                          "PMI_",
                                          "TORCHELASTIC_",
                                          "NCCL_",
                                          "GLOO_",
                                          "CUDA_VISIBLE_DEVICES=",
                                          "CUDA_LAUNCH_BLOCKING=",
                                          "OMP_NUM_THREADS=",
                                          "STEPSCOPE_LINES_IN=",
                                          "MKL_NUM_THREADS=",
                                          "PYTORCH_",
                                          "TORCH_"};

void record_rank() {
  for (const recorder::LauncherVariables& launcher : recorder::kLaunchers) {
    const char* rank = std::getenv(launcher.rank);
    const char* size = std::getenv(launcher.size);
    if (rank == nullptr || size == nullptr) continue;
    recorder::fact("process.rank", rank);
    recorder::fact("process.world_size", size);
    return;
  }
}

void record_environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : kPrefixes) {
      if (!text.starts_with(prefix)) continue;
      std::array<char, 128> key{};
      const std::size_t name = text.find('=');
      std::snprintf(key.data(), key.size(), "env.%.*s", static_cast<int>(name), text.data());
      recorder::fact(key.data(), *entry + name + 1);
      break;
    }
  }
}

}  // namespace

void record_process_facts() noexcept {
  const CommandLine& command = read_command_line();
  recorder::fact("process.name", name_of_program(command.argc, command.argv.data()).data());
  utsname system{};
  uname(&system);
  recorder::fact("process.host", system.nodename);
  recorder::fact("kernel", system.release);
  record_rank();
  std::array<char, 4096> text{};
  recorder::fact("command", joined(command, text.data(), text.size()));
  if (getcwd(text.data(), text.size()) != nullptr) recorder::fact("folder", text.data());
  std::snprintf(text.data(), text.size(), "%d", getppid());
  recorder::fact("parent_pid", text.data());
  record_environment();
}

void record_python_version() noexcept {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  if (version != nullptr) recorder::fact("python", version());
}

CommandLine& read_command_line() noexcept {
  static constinit CommandLine command;
  if (command.argc != 0) return command;
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return command;
  const ssize_t bytes = read(fd, command.text.data(), command.text.size() - 1);
  close(fd);
  for (ssize_t at = 0; at < bytes && command.argc < static_cast<int>(command.argv.size());) {
    const char* word = command.text.data() + at;
    command.argv[static_cast<std::size_t>(command.argc++)] = word;
    at += static_cast<ssize_t>(std::strlen(word)) + 1;
  }
  return command;
}

const char* joined(const CommandLine& command, char* out, std::size_t size) noexcept {
  std::size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < command.argc && used < size; ++i) {
    const char* word = command.argv[static_cast<std::size_t>(i)];
    const bool quote = *word == '\0' || std::strpbrk(word, " \t\n'\"") != nullptr;
    const int more =
        std::snprintf(out + used, size - used, quote ? "%s'%s'" : "%s%s", i == 0 ? "" : " ", word);
    used += more > 0 ? static_cast<std::size_t>(more) : 0;
  }
  return out;
}

}  // namespace stepscope::inject

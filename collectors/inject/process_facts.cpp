// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/process_facts.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
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

struct Rank {
  int rank, size;
};

// The first group of the process as size << 32 | rank; 0: it has made none.
constinit std::atomic<std::uint64_t> first_group{0};

void record_rank(Rank known) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%d", known.rank);
  recorder::fact("process.rank", text.data());
  std::snprintf(text.data(), text.size(), "%d", known.size);
  recorder::fact("process.world_size", text.data());
}

// Returns what the launcher's variables say; a size of 0 where there are none.
Rank rank_of_launcher() {
  for (const recorder::LauncherVariables& launcher : recorder::kLaunchers) {
    const char* rank = std::getenv(launcher.rank);
    const char* size = std::getenv(launcher.size);
    if (rank != nullptr && size != nullptr) return {std::atoi(rank), std::atoi(size)};
  }
  return {};
}

void record_rank() {
  const std::uint64_t group = first_group.load(std::memory_order_relaxed);
  const Rank of_group{static_cast<int>(group & 0xffffffff), static_cast<int>(group >> 32U)};
  const Rank of_launcher = rank_of_launcher();
  if (of_group.size > of_launcher.size)
    record_rank(of_group);
  else if (of_launcher.size > 0)
    record_rank(of_launcher);
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

void record_process_group(int rank, int size) noexcept {
  if (rank < 0 || size < 2) return;
  const std::uint64_t group =
      static_cast<std::uint64_t>(size) << 32U | static_cast<std::uint32_t>(rank);
  std::uint64_t none = 0;
  if (first_group.compare_exchange_strong(none, group) && rank_of_launcher().size < size)
    record_rank({rank, size});
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

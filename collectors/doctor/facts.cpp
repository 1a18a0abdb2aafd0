// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/facts.hpp"

#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "collectors/doctor/question.hpp"
#include "collectors/launcher/environment.hpp"
#include "collectors/launcher/preload_path.hpp"
#include "collectors/record_function/torch_library.hpp"
#include "collectors/recorder/clock.hpp"

namespace stepscope::doctor {
namespace {

// Three lines: Python's version, torch's folder, torch's version. torch is looked for, not
// imported.
constexpr const char* kAskPython =
    "python3 -c 'import importlib.util, importlib.metadata, os, platform\n"
    "print(platform.python_version())\n"
    "spec = importlib.util.find_spec(\"torch\")\n"
    "print(os.path.dirname(spec.origin) if spec and spec.origin else \"\")\n"
    "print(importlib.metadata.version(\"torch\") if spec else \"\")'";

void run_python(const Say& say) {
  FILE* const pipe = popen(kAskPython, "r");
  if (pipe == nullptr) return;
  std::string text;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  std::istringstream lines(text);
  std::string line;
  for (const char* name : {"python", "folder", "torch"}) {
    if (std::getline(lines, line)) say(name, line);
  }
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0 && code != 127) say("status", std::to_string(code));
}

}  // namespace

void ask_for_own_library(Facts& facts) {
  facts.inject_library = launcher::find_inject_library();
  const auto preload = launcher::preload_path(facts.inject_library, launcher::link_folder());
  if (!preload) facts.preload_why_not = preload.error().message;
}

void ask_python(Facts& facts) {
  const Answer answer = ask(run_python, facts.patience);
  facts.python = answer.value_of("python");
  facts.torch_folder = answer.value_of("folder");
  facts.torch_version = answer.value_of("torch");
  facts.torch_tested = is_tested_torch(facts.torch_version);
  if (!answer.failure.empty()) {
    facts.python_why_not = "python3 " + answer.failure;
  } else if (const std::string status = answer.value_of("status"); !status.empty()) {
    facts.python_why_not = "python3 ended with status " + status;
  } else if (facts.python.empty()) {
    facts.python_why_not = "no python3 in the PATH";
  }
}

void ask_environment(Facts& facts) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0' && facts.inject_library != value)
      facts.rivals.push_back(std::string(variable) + "=" + value);
  }
  if (const char* preload = std::getenv("LD_PRELOAD")) facts.preload = preload;
}

void ask_machine(Facts& facts) {
  facts.invariant_tsc = recorder::tsc_is_invariant();
  struct statvfs disk {};
  if (statvfs(facts.folder.c_str(), &disk) == 0)
    facts.free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

}  // namespace stepscope::doctor

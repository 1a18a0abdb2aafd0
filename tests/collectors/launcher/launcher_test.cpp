// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>

#include "collectors/launcher/child.hpp"
#include "collectors/launcher/environment.hpp"
#include "collectors/launcher/message.hpp"
#include "collectors/launcher/output_folder.hpp"

namespace stepscope::launcher {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST(DefaultName, IsTheScriptOrProgramAndTheTime) {
  EXPECT_THAT(default_name({"python3", "-u", "dir/train.py", "--lr", "1e-3"}, 0),
              StartsWith("train-19"));
  EXPECT_THAT(default_name({"./build/train_clt", "--steps", "20"}, 0), StartsWith("train_clt-19"));
}

TEST(DefaultName, CodeAndNumbersAreNoScripts) {
  EXPECT_THAT(default_name({"python3", "-c", "import os; os.path.join('a', 'b.py')"}, 0),
              StartsWith("python3-19"));
  EXPECT_THAT(default_name({"./train", "--lr", "0.001"}, 0), StartsWith("train-19"));
  EXPECT_THAT(default_name({"python3", "-m", "pkg.train", "--lr", "0.1"}, 0),
              StartsWith("train-19"));
  EXPECT_THAT(default_name({"python3", "-m", "torch.distributed.run", "fit.py"}, 0),
              StartsWith("fit-19"));
}

TEST(DefaultName, IsShortAndPlain) {
  EXPECT_THAT(default_name({"./a program\n"}, 0), StartsWith("a_program_-19"));
  EXPECT_THAT(default_name({std::string(340, 'x')}, 0), StartsWith(std::string(100, 'x') + "-19"));
}

TEST(CheckSpace, ALimitOnTheSizeOfFilesIsNamed) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{50U << 20U, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Status status = check_space("/");
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, testing::HasSubstr("ulimit -f"));
}

TEST(Environment, KeepsTheUsersPreloadInFront) {
  Environment environment{{"LD_PRELOAD", "libjemalloc.so"}};
  EXPECT_THAT(add_injection(environment, {"/x/lib.so", "/out.scope", true}, {}), IsEmpty());
  EXPECT_EQ(environment["LD_PRELOAD"], "libjemalloc.so:/x/lib.so");
  EXPECT_EQ(environment["CUDA_INJECTION64_PATH"], "/x/lib.so");
  EXPECT_EQ(environment["NVTX_INJECTION64_PATH"], "/x/lib.so");
  EXPECT_EQ(environment["STEPSCOPE_OUTPUT"], "/out.scope");
}

TEST(Environment, ARunWithinARunOfAnotherStepscopeTakesOver) {
  const std::string outer = "/other/libstepscope_inject.so";
  Environment environment{{"LD_PRELOAD", "liba.so:" + outer + ":libb.so"},
                          {"CUDA_INJECTION64_PATH", outer},
                          {"NVTX_INJECTION64_PATH", outer}};
  EXPECT_THAT(add_injection(environment, {"/x/lib.so", "/out.scope", true}, {}), IsEmpty());
  EXPECT_EQ(environment["LD_PRELOAD"], "liba.so:libb.so:/x/lib.so");
  EXPECT_EQ(environment["CUDA_INJECTION64_PATH"], "/x/lib.so");
  environment["CUDA_INJECTION64_PATH"] = "/nsys/libToolsInjection.so";
  EXPECT_THAT(add_injection(environment, {"/x/lib.so", "/out.scope", true}, {}), SizeIs(1));
}

TEST(Environment, LibrariesMayBeSeparatedBySpacesToo) {
  Environment environment{{"LD_PRELOAD", "liba.so /other/libstepscope_inject.so  libb.so:libc.so"}};
  add_injection(environment, {"/x/lib.so", "/out.scope", true}, {});
  EXPECT_EQ(environment["LD_PRELOAD"], "liba.so:libb.so:libc.so:/x/lib.so");
}

TEST(Environment, AProgramThatMustBeFirstGetsNoPreload) {
  Environment environment;
  add_injection(environment, {"/x/lib.so", "/out.scope", false}, {});
  EXPECT_FALSE(environment.contains("LD_PRELOAD"));
  EXPECT_EQ(environment["NVTX_INJECTION64_PATH"], "/x/lib.so");
}

TEST(Environment, OptionsOfAnOuterProfileAreItsOwn) {
  Environment environment{{"STEPSCOPE_RING_KIB", "64"}};
  ProfileOptions outer;
  outer.only = "x";
  outer.graphs = "whole";
  outer.lines_in = "transformers";
  outer.ops = outer.pm_sampling = true;
  outer.sampling = false;
  outer.capture = {.start_after = "1000", .steps = "5", .window = "", .range = "", .signal = ""};
  add_injection(environment, {"/x/lib.so", "/outer.scope", true}, outer);
  Environment alone{{"STEPSCOPE_RING_KIB", "64"}};
  add_injection(alone, {"/x/lib.so", "/inner.scope", true}, {});
  add_injection(environment, {"/x/lib.so", "/inner.scope", true}, {});
  EXPECT_EQ(environment, alone);
}

TEST(Environment, WhatTheCommandStartsMayBeSanitized) {
  Environment environment{{"ASAN_OPTIONS", "detect_leaks=0"}};
  add_injection(environment, {"/x/lib.so", "/out.scope", true}, {});
  EXPECT_EQ(environment["ASAN_OPTIONS"], "detect_leaks=0:verify_asan_link_order=0");
}

TEST(Environment, OptionsReachTheLibraryWhereTheyAreGiven) {
  Environment plain, asked;
  ProfileOptions options;
  add_injection(plain, {"/x/lib.so", "/out.scope", true}, options);
  EXPECT_FALSE(plain.contains("STEPSCOPE_PM_US"));
  EXPECT_FALSE(plain.contains("STEPSCOPE_SAMPLE_US"));
  EXPECT_FALSE(plain.contains("STEPSCOPE_GRAPHS"));
  EXPECT_FALSE(plain.contains("STEPSCOPE_LINES_IN"));
  options.sampling = false;
  options.pm_sampling = true;
  options.level = "deep";
  options.graphs = "nodes";
  options.lines_in = "transformers";
  add_injection(asked, {"/x/lib.so", "/out.scope", true}, options);
  EXPECT_EQ(asked["STEPSCOPE_PM_US"], "1000");
  EXPECT_EQ(asked["STEPSCOPE_SAMPLE_US"], "0");
  EXPECT_EQ(asked["STEPSCOPE_LEVEL"], "deep");
  EXPECT_EQ(asked["STEPSCOPE_GRAPHS"], "nodes");
  EXPECT_EQ(asked["STEPSCOPE_LINES_IN"], "transformers");
}

TEST(Environment, ARivalStaysAndIsNamed) {
  Environment environment{{"CUDA_INJECTION64_PATH", "/opt/nsys.so"}};
  EXPECT_THAT(add_injection(environment, {"/x/lib.so", "/out.scope", true}, {}),
              testing::ElementsAre("CUDA_INJECTION64_PATH=/opt/nsys.so"));
  EXPECT_EQ(environment["CUDA_INJECTION64_PATH"], "/opt/nsys.so");
}

TEST(ProgramFile, FindsWhatTheShellFinds) {
  EXPECT_THAT(find_program("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(find_program("no-such-program-here"), "");
  EXPECT_EQ(find_program("./x"), "./x");
}

TEST(ProgramFile, KnowsAnAsanProgram) {
  EXPECT_TRUE(needs_to_be_first(STEPSCOPE_TEST_ASAN_PROGRAM));
  EXPECT_FALSE(needs_to_be_first(find_program("true")));
  EXPECT_TRUE(is_dynamic("/proc/self/exe"));
}

TEST(ProgramFile, ADamagedOneIsLeftToTheSystem) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr dynamic{};
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_filesz = ~std::uint64_t{0};
  const std::string path = testing::TempDir() + "/damaged_program";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(&dynamic), sizeof dynamic);
  file.close();
  EXPECT_FALSE(needs_to_be_first(path));
  std::remove(path.c_str());
}

TEST(Child, PassesStatusAndSignalsOn) {
  const Environment environment = current_environment();
  const auto status = [&](const std::vector<std::string>& command) {
    return exit_status_of(run_child(command, environment, [](pid_t) {}));
  };
  EXPECT_EQ(status({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(status({"sh", "-c", "kill -9 $$"}), 128 + SIGKILL);
  EXPECT_EQ(status({"/no/such/file"}), 127);
  EXPECT_EQ(status({"/etc/passwd"}), 126);
}

TEST(Child, AnIgnoredSigchldIsTheChildsAndHidesNoEnd) {
  struct sigaction before {
  }, ignored{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignored, &before);
  const auto status = [](const std::vector<std::string>& command) {
    return exit_status_of(run_child(command, current_environment(), [](pid_t) {}));
  };
  EXPECT_EQ(status({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(status({"grep", "-q", "^SigIgn:.*[13579bdf]....$", "/proc/self/status"}), 0);
  sigaction(SIGCHLD, &before, &ignored);
  EXPECT_EQ(ignored.sa_handler, SIG_IGN);
}

TEST(Message, AStderrThatCannotBeWrittenCostsTheLineOnly) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
    say("a word of {}", 1);
    close(STDERR_FILENO);
    say("{} more", 2);
    _exit(7);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

// A launcher in a group of its own, and how many signals its command was sent.
int signals_of_command(const std::function<void(pid_t launcher)>& send) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t launcher = fork();
  if (launcher == 0) {
    setpgid(0, 0);
    const std::vector<std::string> command{STEPSCOPE_TEST_SIGNAL_COUNTER, std::to_string(ready[1])};
    _exit(exit_status_of(run_child(command, current_environment(), [](pid_t) {})));
  }
  pid_t command = 0;
  if (read(ready[0], &command, sizeof command) == sizeof command) send(launcher);
  int status = -1;
  waitpid(launcher, &status, 0);
  close(ready[0]);
  close(ready[1]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Child, ASignalIsPassedOnOnceAndNotWhereTheGroupGotIt) {
  EXPECT_EQ(signals_of_command([](pid_t launcher) { kill(launcher, SIGTERM); }), 1);
  EXPECT_EQ(signals_of_command([](pid_t launcher) { kill(-launcher, SIGTERM); }), 1);
  EXPECT_EQ(signals_of_command([](pid_t launcher) {
              kill(-launcher, SIGTERM);
              usleep(50'000);
              kill(launcher, SIGTERM);
              usleep(50'000);
              kill(-launcher, SIGTERM);
            }),
            3);
}

}  // namespace
}  // namespace stepscope::launcher

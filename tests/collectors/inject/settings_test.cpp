// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/settings.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "collectors/inject/startup.hpp"

namespace stepscope::inject {
namespace {

std::string name_of(const std::vector<const char*>& argv) {
  return name_of_program(static_cast<int>(argv.size()), argv.data()).data();
}

TEST(Settings, DevicesAreSampledTenTimesASecondUnlessToldOtherwise) {
  EXPECT_EQ(settings_from_environment().pm_us, 0U);  // never, unless it is asked for
  unsetenv("STEPSCOPE_NVML_MS");
  EXPECT_EQ(settings_from_environment().nvml_ms, 100U);
  for (const auto& [text, ms] : {std::pair("0", 0U), {"-3", 0U}, {"20", 20U}, {"x", 0U}}) {
    setenv("STEPSCOPE_NVML_MS", text, 1);
    EXPECT_EQ(settings_from_environment().nvml_ms, ms) << text;
  }
  unsetenv("STEPSCOPE_NVML_MS");
}

TEST(Settings, GraphsAreRecordedByTheirNodesUnlessTheUserWantsThemWhole) {
  unsetenv("STEPSCOPE_GRAPHS");
  EXPECT_FALSE(settings_from_environment().graphs_whole);
  for (const auto& [text, whole] :
       {std::pair("nodes", false), {"whole", true}, {"auto", false}, {"", false}}) {
    setenv("STEPSCOPE_GRAPHS", text, 1);
    EXPECT_EQ(settings_from_environment().graphs_whole, whole) << text;
  }
  unsetenv("STEPSCOPE_GRAPHS");
}

TEST(NameOfProgram, OfAProcessOfMultiprocessingIsItsModule) {
  const char* spawned = "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)";
  EXPECT_EQ(name_of({"python3", "-c", spawned, "--multiprocessing-fork"}), "multiprocessing.spawn");
  EXPECT_EQ(name_of({"python3", "-c", "import torch"}), "-c");
}

TEST(Settings, PartsAreLeftOutByTheirNames) {
  setenv("STEPSCOPE_WITHOUT", "flush,streams", 1);
  const cupti::Parts parts = settings_from_environment().parts;
  unsetenv("STEPSCOPE_WITHOUT");
  EXPECT_FALSE(parts.flush || parts.streams);
  EXPECT_TRUE(parts.calls);
}

TEST(IsXla, KnowsLibrariesWithItsCudaBackendByTheirFile) {
  EXPECT_TRUE(is_xla("/v/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so", true));
  EXPECT_TRUE(is_xla("/v/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so", false));
  EXPECT_TRUE(is_xla("/app/exla/libxla_extension.so", true));
  EXPECT_TRUE(is_xla("/v/tensorflow/libtensorflow_cc.so.2", false));
  // PyTorch's programs have TensorFlow for TensorBoard, and jaxlib alone has no CUDA.
  EXPECT_FALSE(is_xla("/v/tensorflow/libtensorflow_cc.so.2", true));
  EXPECT_FALSE(is_xla("/v/site-packages/jaxlib/libjax_common.so", false));
  EXPECT_FALSE(is_xla("/v/xla_cuda_plugin.so/libtorch_cpu.so", true));
  EXPECT_FALSE(is_xla("", false));
}

TEST(HasXla, FindsItAmongWhatIsMapped) {
  namespace fs = std::filesystem;
  const fs::path plugin =
      fs::temp_directory_path() / ("xla." + std::to_string(getpid())) / "xla_cuda_plugin.so";
  fs::create_directory(plugin.parent_path());
  EXPECT_FALSE(has_xla());
  void* any = dlopen("libm.so.6", RTLD_NOW);  // any library will do
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(any, RTLD_DI_LINKMAP, &map), 0);
  fs::copy_file(map->l_name, plugin);
  void* handle = dlopen(plugin.c_str(), RTLD_NOW);
  EXPECT_NE(handle, nullptr);
  EXPECT_TRUE(has_xla());
  dlclose(handle);
  EXPECT_FALSE(has_xla());
  fs::remove_all(plugin.parent_path());
}

TEST(NameOfProgram, IsTheBasename) {
  EXPECT_EQ(name_of({"/usr/bin/train", "x.py"}), "train");
}

TEST(NameOfProgram, IsWhatAnInterpreterRuns) {
  EXPECT_EQ(name_of({"/opt/bin/python3.11", "/home/x/train.py", "--epochs", "2"}), "train.py");
  EXPECT_EQ(name_of({"python", "-u", "-X", "dev", "train.py"}), "train.py");
  EXPECT_EQ(name_of({"python", "-m", "torch.distributed.run", "train.py"}),
            "torch.distributed.run");
  EXPECT_EQ(name_of({"python", "-c", "print(1)"}), "-c");
  EXPECT_EQ(name_of({"bash", "run.sh"}), "run.sh");
  EXPECT_EQ(name_of({"python3"}), "python3");
  EXPECT_EQ(name_of({"pythonista", "train.py"}), "pythonista");
}

TEST(IsSelected, SearchesTheName) {
  EXPECT_TRUE(is_selected(nullptr, "train.py"));
  EXPECT_TRUE(is_selected("", "train.py"));
  EXPECT_TRUE(is_selected("^(train|eval)\\.py$", "eval.py"));
  EXPECT_FALSE(is_selected("^train$", "train.py"));
  EXPECT_TRUE(is_selected("(", "train.py"));  // the launcher refuses such; never lose a run for it
}

}  // namespace
}  // namespace stepscope::inject

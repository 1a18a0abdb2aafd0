// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/user_code.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stepscope::native {
namespace {

TEST(UserCode, IsWhatComesNeitherWithTheSystemNorWithAFramework) {
  for (const char* path :
       {"/home/me/train", "/home/me/lib/libmodel.so", "/opt/app/bin/train",
        "/usr/local/lib/libmodel.so", "/home/me/torch_model/run",
        "/home/me/project/build/cuda/train", "/home/nvidia/train", "/home/me/cuda-ops/libcustom.so",
        "/home/me/libnvtx_demo.so", "/home/me/python_free_trainer"})
    EXPECT_TRUE(is_user_code(path)) << path;
  for (const char* path :
       {"", "linux-vdso.so.1", "/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11",
        "/home/me/conda/bin/python3.11", "/home/me/libtorch/lib/libtorch_cpu.so",
        "/home/me/.venv/lib/python3.11/site-packages/torch/lib/libfoo.so", "/opt/libcudart.so.12",
        "/usr/local/cuda-13.0/lib64/libcublas.so", "/usr/local/cuda/extras/libfoo.so",
        "/opt/nvidia/nsight/libfoo.so", "/home/me/conda/lib/libpython3.11.so.1.0",
        "/home/me/conda/lib/libcusparseLt.so.0", "/opt/libcuda.so.1",
        "/home/me/build/libstepscope_inject.so"})
    EXPECT_FALSE(is_user_code(path)) << path;
}

TEST(UserCode, ThisProgramIsFoundAndTheCLibraryIsNot) {
  UserCode code;
  code.refresh();
  const auto own = reinterpret_cast<std::uintptr_t>(&is_user_code);
  ASSERT_NE(code.find(own), nullptr);
  EXPECT_LE(code.find(own)->base, own);
  EXPECT_EQ(code.find(reinterpret_cast<std::uintptr_t>(&std::abort)), nullptr);
  EXPECT_EQ(code.find(0), nullptr);
}

}  // namespace
}  // namespace stepscope::native

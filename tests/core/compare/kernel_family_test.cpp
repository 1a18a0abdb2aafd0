// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_matching.hpp"

#include <gtest/gtest.h>

namespace stepscope::compare_parts {
namespace {

TEST(KernelFamily, TilesAndArchitecturesAreOne) {
  EXPECT_EQ(kernel_family("sm80_xmma_gemm_f32f32_tn_n_tilesize128x64x8"),
            kernel_family("sm90_xmma_gemm_f32f32_tn_n_tilesize256x128x32"));
  EXPECT_NE(kernel_family("sm80_xmma_gemm_f32f32_tn_n"),
            kernel_family("sm80_xmma_gemm_f32f32_nt_n"));
}

TEST(KernelFamily, TemplatesParametersAndNamespacesAreCutOff) {
  EXPECT_EQ(kernel_family("void at::native::(anonymous namespace)::topk<float, 4>(float*, int)"),
            "topk");
  EXPECT_EQ(kernel_family("flash_fwd_kernel"), "flash_fwd_kernel");
}

TEST(KernelFamily, OddNamesKeepSomething) {
  EXPECT_EQ(kernel_family("<lambda>"), "<lambda>");
  EXPECT_EQ(kernel_family(""), "");
  EXPECT_EQ(kernel_family("a>b<"), "ab");
}

}  // namespace
}  // namespace stepscope::compare_parts

// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/operation_class.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

struct Named {
  std::string_view name;
  Cause cause;
};

TEST(OperationClass, KernelsOfOtherVendorsAndOfCudnn) {
  const Named cases[] = {
      {"volta_scudnn_128x64_relu_interior_nn_v1", Cause::gpu_gemm},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_medium_nhwc_tn_v1", Cause::gpu_gemm},
      {"fft2d_c2r_32x32<float, (bool)0, (bool)0, (unsigned int)0>", Cause::gpu_gemm},
      {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float, float)",
       Cause::gpu_reduce},
      {"miopenSp3AsmConv_v30_2_6_gfx9_f3x2_fp32_stride1", Cause::gpu_gemm},
      {"naive_conv_ab_nonpacked_fwd_nchw_half_double_half", Cause::gpu_gemm},
      {"mscclKernel_Sum_half_Simple_false", Cause::comm_transfer},
      {"oneccl_allgatherv_kernel", Cause::comm_transfer},
      {"aclnnMm_MatMulCommon_MatMulV2", Cause::gpu_gemm},
      {"aclnnMm_CastAiCore_Cast", Cause::gpu_elementwise},
      {"aclnnMm_TransData_TransData", Cause::gpu_elementwise},
      {"hcom_broadcast__123_0_1", Cause::comm_transfer},
  };
  for (const Named& one : cases)
    EXPECT_EQ(name_of(classify_kernel(one.name)), name_of(one.cause)) << one.name;
}

TEST(OperationClass, KernelsByTheNamesThatLibrariesGiveThem) {
  const Named cases[] = {
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       Cause::comm_transfer},
      {"void deep_ep::internode::combine<false, 8, __nv_bfloat16, 8, 2>(int4*, float*)",
       Cause::comm_transfer},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
       Cause::comm_transfer},
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>(Flash_fwd_params)",
       Cause::gpu_attention},
      {"_attn_fwd", Cause::gpu_attention},
      {"void cutlass::device_kernel<FlashAttnBwd<CollectiveMainloopBwd<2, tuple<C<1> > > > "
       ">(Params)",
       Cause::gpu_attention},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<flashinfer::PosEncodingMode>(...)",
       Cause::gpu_attention},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob", Cause::gpu_attention},
      {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN", Cause::gpu_gemm},
      {"Cijk_Ailk_Bljk_SB_MT128x64x16_SE_K1", Cause::gpu_gemm},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>(Params)",
       Cause::gpu_gemm},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", Cause::gpu_gemm},
      {"void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(...)",
       Cause::gpu_select},
      {"void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<...>", Cause::gpu_select},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, NormTwoOps>>(...)",
       Cause::gpu_reduce},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
       Cause::gpu_reduce},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
       Cause::gpu_elementwise},
      {"void at::native::(anonymous "
       "namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>>",
       Cause::gpu_optimizer},
      {"triton_poi_fused__to_copy_addmm_gelu_3", Cause::gpu_elementwise},
      {"void cusparse::csrmm_alg2_kernel<float>(int)", Cause::gpu_gemm},
      {"void stepscope::kernels::(anonymous namespace)::decoder_sddmm_kernel<float, 32>(int)",
       Cause::gpu_gemm},
      {"void stepscope::kernels::(anonymous namespace)::adam_decoder_kernel<float, false>(int)",
       Cause::gpu_optimizer},
      {"triton_per_fused_native_layer_norm_mm_7", Cause::gpu_reduce},
      {"triton_tem_fused_mm_5", Cause::gpu_gemm},
      {"my_own_kernel", Cause::gpu_other},
  };
  for (const Named& c : cases)
    EXPECT_EQ(name_of(classify_kernel(c.name)), name_of(c.cause)) << c.name;
}

TEST(OperationClass, TemplateArgumentsDoNotDecideWhereTheStemDoes) {
  EXPECT_EQ(
      classify_kernel("void at::native::elementwise_kernel<128, 2, reduce_softmax_gemm>(int)"),
      Cause::gpu_elementwise);
}

TEST(OperationClass, CopiesByDirectionAndMemory) {
  const auto copy = [](CopyKind kind, MemoryKind source) {
    return classify_device_op(DeviceOpKind::memcpy, kind, source, "Memcpy");
  };
  EXPECT_EQ(copy(CopyKind::host_to_device, MemoryKind::pageable), Cause::copy_h2d_pageable);
  EXPECT_EQ(copy(CopyKind::host_to_device, MemoryKind::pinned), Cause::copy_h2d_pinned);
  EXPECT_EQ(copy(CopyKind::device_to_host, MemoryKind::device), Cause::copy_d2h);
  EXPECT_EQ(copy(CopyKind::peer, MemoryKind::device), Cause::copy_d2d);
  EXPECT_EQ(classify_device_op(DeviceOpKind::memset, CopyKind::none, MemoryKind::unknown, "Memset"),
            Cause::copy_set);
}

TEST(OperationClass, CpuOps) {
  const Named cases[] = {
      {"aten::addmm", Cause::host_compute_gemm},
      {"aten::mkldnn_convolution", Cause::host_compute_gemm},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", Cause::host_compute_attention},
      {"aten::topk", Cause::host_compute_select},
      {"aten::_log_softmax", Cause::host_compute_reduce},
      {"aten::sum.dim_IntList", Cause::host_compute_reduce},
      {"aten::add_", Cause::host_compute_elementwise},
      {"aten::normal_", Cause::host_compute_elementwise},
      {"aten::_fused_adamw_", Cause::host_compute_optimizer},
      {"aten::select", Cause::host_framework},
      {"aten::empty_strided", Cause::host_framework},
      {"aten::t", Cause::host_framework},
      {"c10d::allreduce_", Cause::host_framework},
      {"mylib::simulate", Cause::host_compute_other},
  };
  for (const Named& c : cases)
    EXPECT_EQ(name_of(classify_cpu_op(c.name)), name_of(c.cause)) << c.name;
}

}  // namespace
}  // namespace stepscope

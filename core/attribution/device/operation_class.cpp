// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/operation_class.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace stepscope {
namespace {

using Keywords = std::span<const std::string_view>;

struct ClassRule {
  Keywords keywords;  // lower case, found anywhere in the lower-cased text
  Cause cause;
};

constexpr std::string_view kComm[] = {
    "nccl",           "nvshmem",       "all_reduce",
    "allreduce",      "all_gather",    "allgather",
    "reduce_scatter", "reducescatter", "all_to_all",
    "alltoall",       "hcom_",         "hccl",
    "oneccl",         "msccl",         "rccl",                  // Ascend's, Intel's, AMD's
    "internode",      "intranode",     "cross_device_reduce"};  // DeepEP's, vLLM's
constexpr std::string_view kAttention[] = {
    "flash_",     "flashattn", "flash::",  "fmha",     "attention", "sdpa", "dot_do_o",
    "convert_dq", "_mha",      "attn_fwd", "attn_bwd", "pagedkv"};  // Triton's; FlashInfer's
constexpr std::string_view kGemm[] = {
    "gemm",   "gemv",     "nvjet",       "xmma",    "cutlass",  "splitk", "wgmma",
    "matmul", "convolve", "convolution", "conv2d",  "winograd", "fprop",  "dgrad",
    "wgrad",  "cublas",   "spmm",        "sddmm",   "csrmm",    "cijk_",  "scudnn",
    "hcudnn", "84cudnn",  "88cudnn",     "16cudnn", "fft2d_",  // cuDNN's
    "conv3d", "asmconv",  "_conv_",      "gen_conv"};          // MIOpen's, oneDNN's
constexpr std::string_view kOptimizerKernels[] = {
    "adam", "sgd_", "_sgd", "adagrad", "rmsprop", "lamb_", "fusedoptimizer", "lion_", "muon"};
constexpr std::string_view kSelect[] = {"topk",      "radixsort", "radix_sort",   "bitonic",
                                        "sort",      "kthvalue",  "deviceselect", "device_select",
                                        "partition", "unique",    "nonzero",      "radixfindkth",
                                        "radix_find"};
constexpr std::string_view kReduce[] = {
    "reduce",     "softmax",    "layer_norm", "layernorm", "rms_norm", "rmsnorm",
    "batch_norm", "batchnorm",  "group_norm", "norm",      "loss",     "cross_entropy",
    "scan",       "cumsum",     "argmax",     "argmin",    "welford",  "gammabeta",
    "histogram",  "dot_kernel", "bn_fw_",     "bn_bw_"};  // cuDNN's
constexpr std::string_view kElementwise[] = {
    "elementwise", "vectorized",   "copy",      "fill",        "index",     "gather",
    "scatter",     "embedding",    "catarray",  "grad_weight", "segment",   "triu",
    "tril",        "distribution", "dropout",   "transpose",   "pointwise", "arange",
    "compare",     "where",        "unrolled",  "im2col",      "col2im",    "upsample",
    "pad",         "cast",         "zeroslike", "oneslike",    "concat",    "stridedslice",
    "transdata",   "tensormove",   "realdiv",  // Ascend's
    "relu",        "gelu",         "silu",      "swiglu",      "sigmoid",   "tanh",
    "rotary"};

constexpr std::string_view kForeach[] = {"multi_tensor_apply"};
constexpr std::string_view kWrappers[] = {
    "device_kernel"};  // CUTLASS's: its argument says what runs

constexpr ClassRule kKernelRules[] = {
    {kComm, Cause::comm_transfer},
    {kAttention, Cause::gpu_attention},
    {kGemm, Cause::gpu_gemm},
    {kOptimizerKernels, Cause::gpu_optimizer},
    {kSelect, Cause::gpu_select},
    {kReduce, Cause::gpu_reduce},
    {kElementwise, Cause::gpu_elementwise},
};

// CPU ops: whole names (after the namespace, trailing underscores of in-place and out variants cut
// off).
constexpr std::string_view kViewOps[] = {"view",
                                         "_unsafe_view",
                                         "reshape",
                                         "_reshape_alias",
                                         "transpose",
                                         "permute",
                                         "as_strided",
                                         "expand",
                                         "expand_as",
                                         "slice",
                                         "select",
                                         "unsqueeze",
                                         "squeeze",
                                         "t",
                                         "detach",
                                         "alias",
                                         "unbind",
                                         "split",
                                         "split_with_sizes",
                                         "chunk",
                                         "narrow",
                                         "flatten",
                                         "unflatten",
                                         "movedim",
                                         "swapaxes",
                                         "diagonal",
                                         "unfold",
                                         "empty",
                                         "empty_like",
                                         "empty_strided",
                                         "new_empty",
                                         "new_empty_strided",
                                         "resize",
                                         "resize_as",
                                         "set",
                                         "lift_fresh",
                                         "is_nonzero",
                                         "item",
                                         "_local_scalar_dense",
                                         "result_type",
                                         "view_as",
                                         "numpy_t",
                                         "mt",
                                         "real",
                                         "broadcast_tensors",
                                         "broadcast_to",
                                         "contiguous",
                                         "to",
                                         "linear",
                                         "matmul",
                                         "dropout",
                                         "layer_norm",
                                         "softmax",
                                         "log_softmax",
                                         "cross_entropy_loss",
                                         "stack_wrapper",
                                         "requires_grad",
                                         "zeros_like",
                                         "ones_like",
                                         "full_like",
                                         "rand_like",
                                         "randn_like",
                                         "resolve_conj",
                                         "resolve_neg",
                                         "type_as",
                                         "scalar_tensor",
                                         "AccumulateGrad",
                                         "cosine_similarity",
                                         "record_stream",
                                         "is_pinned",
                                         "pin_memory",
                                         "zeros",
                                         "ones",
                                         "full"};
constexpr std::string_view kCpuGemm[] = {
    "addmm",      "mm",     "bmm",  "baddbmm",           "addmv",   "mv", "dot", "einsum",
    "_scaled_mm", "addbmm", "addr", "_addmm_activation", "bilinear"};
constexpr std::string_view kCpuGemmParts[] = {"conv", "mkldnn", "_linear", "gemm"};
constexpr std::string_view kCpuAttentionParts[] = {"attention"};
constexpr std::string_view kCpuSelect[] = {
    "topk",     "sort",          "argsort",     "kthvalue",     "nonzero", "unique",
    "_unique2", "masked_select", "multinomial", "searchsorted", "msort",   "unique_consecutive"};
constexpr std::string_view kCpuReduce[] = {
    "sum",      "mean",   "max",    "min",     "amax",        "amin",   "aminmax",
    "argmax",   "argmin", "cumsum", "cumprod", "var",         "std",    "var_mean",
    "std_mean", "all",    "any",    "prod",    "logsumexp",   "median", "count_nonzero",
    "bincount", "histc",  "equal",  "trace",   "logcumsumexp"};
constexpr std::string_view kCpuReduceParts[] = {"softmax", "norm", "loss", "cross_entropy",
                                                "_pool"};
constexpr std::string_view kCpuOptimizerParts[] = {"_fused_adam", "_fused_sgd", "_fused_adagrad"};
constexpr std::string_view kCpuElementwise[] = {"add",
                                                "sub",
                                                "mul",
                                                "div",
                                                "rsub",
                                                "neg",
                                                "abs",
                                                "exp",
                                                "log",
                                                "sqrt",
                                                "rsqrt",
                                                "pow",
                                                "tanh",
                                                "sigmoid",
                                                "relu",
                                                "gelu",
                                                "silu",
                                                "clamp",
                                                "clamp_min",
                                                "clamp_max",
                                                "where",
                                                "masked_fill",
                                                "fill",
                                                "zero",
                                                "copy",
                                                "_to_copy",
                                                "clone",
                                                "cat",
                                                "stack",
                                                "index",
                                                "index_select",
                                                "index_put",
                                                "_index_put_impl",
                                                "index_add",
                                                "gather",
                                                "scatter",
                                                "scatter_add",
                                                "embedding",
                                                "embedding_dense_backward",
                                                "eq",
                                                "ne",
                                                "lt",
                                                "le",
                                                "gt",
                                                "ge",
                                                "logical_and",
                                                "logical_or",
                                                "logical_not",
                                                "bitwise_and",
                                                "bitwise_or",
                                                "bitwise_not",
                                                "maximum",
                                                "minimum",
                                                "lerp",
                                                "addcmul",
                                                "addcdiv",
                                                "reciprocal",
                                                "sign",
                                                "floor",
                                                "ceil",
                                                "round",
                                                "remainder",
                                                "fmod",
                                                "sin",
                                                "cos",
                                                "arange",
                                                "randint",
                                                "rand",
                                                "randn",
                                                "normal",
                                                "uniform",
                                                "bernoulli",
                                                "random",
                                                "randperm",
                                                "triu",
                                                "tril",
                                                "repeat",
                                                "repeat_interleave",
                                                "roll",
                                                "flip",
                                                "threshold_backward",
                                                "gelu_backward",
                                                "silu_backward",
                                                "tanh_backward",
                                                "sigmoid_backward",
                                                "native_dropout",
                                                "native_dropout_backward",
                                                "erf",
                                                "isnan",
                                                "isinf",
                                                "isfinite",
                                                "square",
                                                "constant_pad_nd",
                                                "pad",
                                                "one_hot",
                                                "slice_backward",
                                                "select_backward",
                                                "linspace",
                                                "eye",
                                                "outer",
                                                "log1p",
                                                "expm1",
                                                "log2",
                                                "leaky_relu",
                                                "elu",
                                                "softplus",
                                                "hardtanh",
                                                "glu",
                                                "mish",
                                                "tensor_split"};
constexpr std::string_view kCpuElementwiseParts[] = {"_foreach_", "elementwise", "upsample"};

constexpr ClassRule kCpuPartRules[] = {
    {kCpuAttentionParts, Cause::host_compute_attention},
    {kCpuOptimizerParts, Cause::host_compute_optimizer},
    {kCpuGemmParts, Cause::host_compute_gemm},
    {kCpuReduceParts, Cause::host_compute_reduce},
    {kCpuElementwiseParts, Cause::host_compute_elementwise},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return out;
}

bool contains_any(std::string_view text, Keywords keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool equals_any(std::string_view text, Keywords words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

void erase_all(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
}

// "void at::native::(anonymous namespace)::foo<int>(char*)" -> "at::native::foo"
std::string stem_of(std::string text) {
  erase_all(text, "(anonymous namespace)::");
  if (text.starts_with("void ")) text.erase(0, 5);
  return text.substr(0, text.find_first_of("<("));
}

// Inductor names its kernels after every op fused into them; what they are stands in the prefix.
Cause classify_triton(std::string_view text) {
  if (text.starts_with("triton_poi") || text.starts_with("triton_for"))
    return Cause::gpu_elementwise;
  if (text.starts_with("triton_red") || text.starts_with("triton_per")) return Cause::gpu_reduce;
  if (!text.starts_with("triton_tem")) return Cause::gpu_other;
  return contains_any(text, kAttention) ? Cause::gpu_attention : Cause::gpu_gemm;
}

Cause first_match(std::string_view text) {
  for (const ClassRule& rule : kKernelRules) {
    if (contains_any(text, rule.keywords)) return rule.cause;
  }
  return Cause::gpu_other;
}

// "aten::add_" -> "add", "aten::mul.out" -> "mul", "aten::_foreach_add_" -> "_foreach_add"
std::string_view op_stem(std::string_view name) {
  const auto scope = name.rfind("::");
  if (scope != std::string_view::npos) name.remove_prefix(scope + 2);
  name = name.substr(0, name.find('.'));
  while (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  return name;
}

}  // namespace

Cause classify_kernel(std::string_view name) {
  const std::string text = lower(name);
  if (const Cause triton = classify_triton(text); triton != Cause::gpu_other) return triton;
  const std::string stem = stem_of(text);
  const Cause by_stem = contains_any(stem, kWrappers) ? Cause::gpu_other : first_match(stem);
  if (by_stem != Cause::gpu_other) return by_stem;
  const Cause by_text = first_match(text);
  const bool foreach_kernel =
      contains_any(stem, kForeach);  // its functor says what it does, if anything
  return foreach_kernel && by_text == Cause::gpu_other ? Cause::gpu_elementwise : by_text;
}

Cause classify_device_op(DeviceOpKind kind, CopyKind copy, MemoryKind source,
                         std::string_view name) {
  if (kind == DeviceOpKind::memset) return Cause::copy_set;
  if (kind != DeviceOpKind::memcpy) return classify_kernel(name);
  switch (copy) {
    case CopyKind::host_to_device:
      return source == MemoryKind::pageable ? Cause::copy_h2d_pageable : Cause::copy_h2d_pinned;
    case CopyKind::device_to_host:
      return Cause::copy_d2h;
    default:
      return Cause::copy_d2d;
  }
}

Cause classify_cpu_op(std::string_view name) {
  if (name.find(' ') != std::string_view::npos)
    return Cause::host_framework;  // "TorchDynamo Cache Lookup"
  if (name.starts_with("c10d::") || name.starts_with("_c10d_functional::"))
    return Cause::host_framework;  // they hand a collective to its process group
  const std::string_view stem = op_stem(name);
  if (equals_any(stem, kViewOps)) return Cause::host_framework;
  if (equals_any(stem, kCpuGemm)) return Cause::host_compute_gemm;
  if (equals_any(stem, kCpuSelect)) return Cause::host_compute_select;
  if (equals_any(stem, kCpuReduce)) return Cause::host_compute_reduce;
  if (equals_any(stem, kCpuElementwise)) return Cause::host_compute_elementwise;
  for (const ClassRule& rule : kCpuPartRules) {
    if (contains_any(stem, rule.keywords)) return rule.cause;
  }
  return Cause::host_compute_other;
}

}  // namespace stepscope

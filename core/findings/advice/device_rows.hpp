// SPDX-License-Identifier: Apache-2.0
// Advice on what the device computes and sends, and phases that run seldom. The rows follow the order of
// Advice; advice.cpp joins them.
#pragma once

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {

inline constexpr AdviceText kHotspotOther = {
    "look at what these operations do, and whether a library has a faster form of it", ""};
inline constexpr std::string_view kCopyAhead =
    "copy the next batch while the device computes this one: on a stream of its own, a step "
    "ahead, with an event that the compute waits for; results that go to the host likewise, on a "
    "stream that waits for them";
inline constexpr std::string_view kFewerBytes =
    "copy fewer bytes (half precision or integers, converted on the device), or keep there what "
    "does not change: the copies take longer than all else of the step and cannot hide behind it";
inline constexpr std::string_view kHalfAsOften =
    "run it half as often, which is what its figure is of, or, where the steps learn from what "
    "it "
    "makes, make it cheaper: more of it in one operation, fewer batches, its results kept where "
    "they are computed, what the step has computed used again, files written from another thread";
inline constexpr std::string_view kPartOfTraining =
    "it is part of the training, and run less often, which is what its figure is of, it trains "
    "otherwise: make it cheaper, or try whether it learns as well at half the rate";

inline constexpr AdviceRow kDeviceAdvice[] = {
    {Advice::unfused_attention,
     {"use scaled_dot_product_attention: its fused kernels never write the scores; is_causal=True "
      "instead of a mask tensor, and enable_gqa=True instead of repeated keys",
      "out = F.scaled_dot_product_attention(q, k, v, is_causal=True)"},
     {"use scaled_dot_product_attention: its fused kernels never write the scores; is_causal "
      "instead of a mask tensor, and enable_gqa instead of repeated keys",
      "auto out = at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);"}},
    {Advice::precision,
     {"let them use tensor cores: TF32 keeps float32 tensors and rounds products to 10 bits, bf16 "
      "autocast halves the bytes, too; compare the loss curve",
      "torch.set_float32_matmul_precision('high')\n"
      "with torch.autocast('cuda', torch.bfloat16): loss = model(batch)"},
     {"let them use tensor cores: TF32 keeps float32 tensors and rounds products to 10 bits, bf16 "
      "tensors halve the bytes, too; compare the loss curve",
      "at::globalContext().setFloat32MatmulPrecision(\"high\");"}},
    {Advice::precision_double,
     {"compute in float32: NumPy makes float64 unless told otherwise, torch.from_numpy keeps it, "
      "and "
      "a model that is converted to it (.double(), set_default_dtype) works in it throughout",
      "batch = torch.from_numpy(array).float()\n"
      "model = model.float()"},
     {"compute in float32: a tensor over doubles, or a model that is converted to torch::kDouble, "
      "works in float64 throughout",
      "batch = batch.to(torch::kFloat); model->to(torch::kFloat);"}},
    {Advice::memory_layout,
     {"keep images and weights of convolutions in channels_last: shapes and results stay, and "
      "tensor "
      "cores take them as they are; it holds for 2-D convolutions with batch normalisation or none",
      "model = model.to(memory_format=torch.channels_last)\n"
      "images = images.to(device, memory_format=torch.channels_last)"},
     {"keep images and weights of convolutions in channels_last: shapes and results stay, and "
      "tensor "
      "cores take them as they are; it holds for 2-D convolutions with batch normalisation or none",
      "for (auto& p : model->parameters())\n"
      "  if (p.dim() == 4) p.set_data(p.contiguous(at::MemoryFormat::ChannelsLast));\n"
      "images = images.contiguous(at::MemoryFormat::ChannelsLast);"}},
    {Advice::recomputation,
     {"keep what the forward pass makes, as far as memory allows: without checkpointing first, "
      "else "
      "checkpoint every second layer, or only operations that are quick for the memory they save",
      "h = block(h)   # in place of checkpoint(block, h)\n"
      "model.gradient_checkpointing_disable()   # where Transformers' switch was used"},
     {"keep what the forward pass makes, as far as memory allows: without checkpointing first, "
      "else "
      "checkpoint every second layer, or only operations that are quick for the memory they save",
      ""}},
    {Advice::losses_are_summed,
     {"add the losses, weighted as they should count, and call backward() once: their gradients "
      "then "
      "run through the shared operations together, and the parameters get the same sums. Keep the "
      "passes apart only where each loss's own gradients are used (gradient surgery, a norm for "
      "each "
      "task)",
      "(loss_a + loss_b).backward()   # in place of loss_a.backward(retain_graph=True), "
      "loss_b.backward()"},
     {"add the losses, weighted as they should count, and call backward() once: their gradients "
      "then "
      "run through the shared operations together, and the parameters get the same sums",
      "(loss_a + loss_b).backward();"}},
    {Advice::inputs_are_asked_together,
     {"ask for the gradients of all inputs in one call: one pass computes them together",
      "du_dx, du_dt = torch.autograd.grad(u.sum(), (x, t), create_graph=True)"},
     {"ask for the gradients of all inputs in one call: one pass computes them together",
      "auto gradients = torch::autograd::grad({u.sum()}, {x, t}, {}, true, true);"}},
    {Advice::hotspot_select,
     {"select without sorting: top-k with sorted=False, a threshold (the k-th value, or last "
      "step's) and a comparison, or a kernel that selects by radix; keep a mask rather than "
      "indices",
      "kth = torch.topk(keys, k, sorted=False).values.amin()\nmask = keys >= kth"},
     {"select without sorting: top-k that does not sort, a threshold (the k-th value, or last "
      "step's) and a comparison, or a kernel that selects by radix; keep a mask rather than "
      "indices",
      "auto kth = std::get<0>(torch::topk(keys, k, -1, /*largest=*/true, "
      "/*sorted=*/false)).amin();\n"
      "auto mask = keys >= kth;"}},
    {Advice::hotspot_reduce,
     {"fuse the reduction with what makes its input (torch.compile, or a fused norm or loss), and "
      "reduce once rather than once for each part",
      "model = torch.compile(model)"},
     {"fuse the reduction with what makes its input (a fused norm or loss, or a kernel of your "
      "own), and reduce once rather than once for each part",
      ""}},
    {Advice::hotspot_elementwise,
     {"each of these kernels reads and writes all of its tensors: fuse chains of them "
      "(torch.compile), drop casts and copies, and use in-place or fused forms",
      "block = torch.compile(block)   # up to a minute for each shape; dynamic=False for a few "
      "shapes"},
     {"each of these kernels reads and writes all of its tensors: fuse chains of them in a kernel "
      "of your own, drop casts and copies, and use in-place or fused forms",
      "x.mul_(scale).add_(shift);   // in place"}},
    {Advice::hotspot_elementwise_without_device,
     {"each of these operations reads and writes all of its tensors: fuse chains of them "
      "(torch.compile, which needs a C++ compiler and Python's headers), drop casts and copies, "
      "and use in-place forms",
      "block = torch.compile(block)   # up to a minute for each shape; dynamic=False for a few "
      "shapes"},
     {"each of these operations reads and writes all of its tensors: fuse chains of them in one "
      "loop over the raw data, drop casts and copies, and use in-place forms",
      "x.mul_(scale).add_(shift);   // in place"}},
    {Advice::hotspot_elementwise_with_gradients,
     {"each of these operations reads and writes all of its tensors: fuse chains of them "
      "(torch.compile, which needs a C++ compiler and Python's headers), drop casts and copies, "
      "and use in-place forms; what no gradient needs "
      "(evaluation, metrics) belongs under torch.no_grad()",
      "block = torch.compile(block)   # up to a minute for each shape; dynamic=False for a few "
      "shapes"},
     {"each of these operations reads and writes all of its tensors: fuse chains of them in one "
      "loop over the raw data, drop casts and copies, and use in-place forms; what no gradient "
      "needs (evaluation, metrics) belongs under torch::NoGradGuard",
      "x.mul_(scale).add_(shift);   // in place"}},
    {Advice::hotspot_other, kHotspotOther, kHotspotOther},
    {Advice::exposed_comm,
     {"start it earlier and let compute run beside it: DDP's buckets (gradient_as_bucket_view, a "
      "larger or smaller bucket_cap_mb), no_sync() while gradients are accumulated, prefetch in "
      "FSDP; send less (bf16 gradients)",
      "with model.no_sync():          # all but the last micro-batch\n"
      "    loss(model(x)).backward()"},
     {"start it earlier and let compute run beside it: gradients in buckets, each on a stream of "
      "its own as soon as backward() has made it, and only behind the last micro-batch while "
      "gradients are accumulated; send less (bf16 gradients)",
      ""}},
    {Advice::exposed_copy,
     {kCopyAhead,
      "with torch.cuda.stream(copies):      # a step ahead, before this batch is computed\n"
      "    following = next(batches).to(device, non_blocking=True)\n"
      "torch.cuda.current_stream().wait_stream(copies)  # before it is used: record_stream()"},
     {kCopyAhead,
      "{\n"
      "  c10::cuda::CUDAStreamGuard on(copies);   // a step ahead, before this batch is computed\n"
      "  following = next_batch().to(device, /*non_blocking=*/true);\n"
      "}   // before it is used: an event of `copies` that the compute waits for"}},
    {Advice::exposed_copy_is_too_large,
     {kFewerBytes,
      "batch = batch.to(device, non_blocking=True).float()   # uint8 or float16 on the bus"},
     {kFewerBytes,
      "batch = batch.to(device, /*non_blocking=*/true).to(torch::kFloat);   // uint8 on the bus"}},
    {Advice::periodic_phase, {kHalfAsOften, ""}, {kHalfAsOften, ""}},
    {Advice::periodic_phase_of_training, {kPartOfTraining, ""}, {kPartOfTraining, ""}},
    {Advice::underfilled_gpu,
     {"give each kernel more to do (a larger batch, several small problems in one batched "
      "operation like bmm, vmap or grouped products), or run independent ones on streams of their "
      "own",
      "out = torch.bmm(a, b)     # not: [x @ y for x, y in zip(a, b)]"},
     {"give each kernel more to do (a larger batch, several small problems in one batched "
      "operation like bmm or grouped products), or run independent ones on streams of their own",
      "auto out = torch::bmm(a, b);   // not a product for each pair"}},
};

}  // namespace stepscope::rules

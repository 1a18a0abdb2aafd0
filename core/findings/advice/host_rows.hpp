// SPDX-License-Identifier: Apache-2.0
// Advice on copies, waits and what else the host does between its launches. The rows follow the order of
// Advice; advice.cpp joins them.
#pragma once

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {

inline constexpr AdviceText kSleeps = {
    "find what this line sleeps or waits for (a sleep, a queue, a lock, a socket) and take it out "
    "of the loop; if it waits for nothing, give the process its cores (fewer workers than cores, "
    "pinning, no neighbours)",
    ""};
inline constexpr AdviceText kSleepsOnPurpose = {
    "take this sleep out of the loop, or wait for what it stands for (an event, a queue) in place "
    "of a fixed time",
    ""};
inline constexpr AdviceText kWaitsForProgram = {
    "start the other program on another thread and let it run beside the step, run it once in many "
    "steps, or do its work in this process",
    ""};
inline constexpr AdviceText kWaitsForMessage = {
    "ask for it before it is needed, on another thread and some steps ahead, and for many steps at "
    "once",
    ""};
inline constexpr AdviceText kReadsOrWrites = {
    "write and read files from another thread, and less often; print or log once in many steps, "
    "and one text rather than many",
    ""};
inline constexpr AdviceText kWaitsForThread = {
    "the loop waits for another thread: let that run further ahead", ""};
inline constexpr AdviceText kGapComputes = {
    "move this host work out of the loop, do it on the device, or do it on another thread while "
    "the device works; issue the step's device work first",
    ""};
inline constexpr std::string_view kOnceBeforeTheLoop =
    "make the values once before the loop and keep them on the device, or collect them in one "
    "tensor per batch and copy that once";

inline constexpr AdviceRow kHostAdvice[] = {
    {Advice::tiny_h2d,
     {kOnceBeforeTheLoop,
      "kinds = torch.arange(4, device=device)      # once\n"
      "bos = self.special(kinds[BOS:BOS + 1])      # in the loop: no copy"},
     {kOnceBeforeTheLoop,
      "auto kinds = torch::arange(4, device);              // once\n"
      "auto bos = special(kinds.slice(0, kBos, kBos + 1));  // in the loop: no copy"}},
    {Advice::host_sync,
     {"keep the value on the device and read it seldom: add it up there, check for NaN there, and "
      "read once in n steps; a read that must be each step goes into pinned memory with "
      "non_blocking=True, and is looked at one step later",
      "running += loss.detach()             # not loss.item()\n"
      "if step % 100 == 0: log(running.item() / 100); running.zero_()"},
     {"keep the value on the device and read it seldom: add it up there, check for NaN there, and "
      "read once in n steps; a read that must be each step goes into pinned memory without "
      "waiting, and is looked at one step later",
      "running += loss.detach();             // not loss.item<float>()\n"
      "if (step % 100 == 0) { log(running.item<float>() / 100); running.zero_(); }"}},
    {Advice::pageable_copy,
     {"copy from pinned memory without waiting: pin_memory=True in the DataLoader, or a pinned "
      "buffer that is used again, and non_blocking=True; half-precision or integers halve the "
      "bytes",
      "loader = DataLoader(dataset, pin_memory=True)\n"
      "batch = batch.to(device, non_blocking=True)"},
     {"copy from pinned memory without waiting: a pinned buffer that is used again, and a copy "
      "that does not block; half-precision or integers halve the bytes",
      "auto pinned = torch::empty(shape, torch::TensorOptions().pinned_memory(true));   // once\n"
      "batch = pinned.to(device, /*non_blocking=*/true);"}},
    {Advice::steady_alloc,
     {"allocate once: pinned buffers and workspaces before the loop; let the allocator keep memory "
      "(no torch.cuda.empty_cache() in the loop); pad changing shapes to few sizes, or set "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
      "buffer = torch.empty(shape, pin_memory=True)   # once\nbuffer.copy_(batch)"},
     {"allocate once: pinned buffers and workspaces before the loop; let the allocator keep memory "
      "(no CUDACachingAllocator::emptyCache() in the loop, cudaMallocAsync in place of "
      "cudaMalloc); pad changing shapes to few sizes",
      "auto buffer = torch::empty(shape, torch::TensorOptions().pinned_memory(true));   // once\n"
      "buffer.copy_(batch);"}},
    {Advice::steady_compile,
     {"keep shapes the same (pad to few sizes, drop the last short batch, mark what changes as "
      "dynamic), and run each form of the step once before it counts; TORCH_LOGS=recompiles names "
      "what changed",
      "loader = DataLoader(dataset, drop_last=True)\n"
      "torch._dynamo.mark_dynamic(batch, 0)"},
     {"keep shapes the same (pad to few sizes, drop the last short batch), and run each form of "
      "the step once before it counts",
      ""}},
    {Advice::gap_collects,
     {"collect garbage less often (gc.disable() behind set-up, and one gc.collect() in a thousand "
      "steps); gc.freeze() takes what lives for good out of it",
      ""},
     {"let the embedded interpreter collect its garbage less often", ""}},
    {Advice::gap_reads_or_writes, kReadsOrWrites, kReadsOrWrites},
    {Advice::gap_sleeps, kSleeps, kSleeps},
    {Advice::gap_sleeps_on_purpose, kSleepsOnPurpose, kSleepsOnPurpose},
    {Advice::gap_waits_for_program, kWaitsForProgram, kWaitsForProgram},
    {Advice::gap_waits_for_message, kWaitsForMessage, kWaitsForMessage},
    {Advice::gap_waits_for_thread, kWaitsForThread, kWaitsForThread},
    {Advice::gap_waits_for_turn,
     {"threads that compute in Python take turns, for one at a time holds the interpreter's lock: "
      "if "
      "these do, let their work run in processes of their own, or in operations that release the "
      "lock "
      "(NumPy, torch)",
      "multiprocessing.Process(target=act, args=(queue,)).start()   # not threading.Thread"},
     kWaitsForThread},
    {Advice::gap_computes, kGapComputes, kGapComputes},
    {Advice::gap_computes_without_device,
     {"move this work out of the loop or do it less often; vectorise Python loops (NumPy, or one "
      "operation on a tensor), or do it in another process beside the step",
      ""},
     {"move this work out of the loop or do it less often; make it one operation on a tensor, or "
      "do it on another thread beside the step",
      ""}},
};

}  // namespace stepscope::rules

// SPDX-License-Identifier: Apache-2.0
#include "core/findings/advice.hpp"

namespace stepscope::rules {
namespace {

struct Row {
  Advice advice;
  AdviceText python, cpp;
};

constexpr AdviceText kSleeps = {
    "find what this line sleeps or waits for (a sleep, a queue, a lock, a socket) and take it out "
    "of the loop; if it waits for nothing, give the process its cores (fewer workers than cores, "
    "pinning, no neighbours)",
    ""};
constexpr AdviceText kSleepsOnPurpose = {
    "take this sleep out of the loop, or wait for what it stands for (an event, a queue) in place "
    "of a fixed time",
    ""};
constexpr AdviceText kWaitsForProgram = {
    "start the other program on another thread and let it run beside the step, run it once in many "
    "steps, or do its work in this process",
    ""};
constexpr AdviceText kWaitsForMessage = {
    "ask for it before it is needed, on another thread and some steps ahead, and for many steps at "
    "once",
    ""};
constexpr AdviceText kReadsOrWrites = {
    "write and read files from another thread, and less often; print or log once in many steps, "
    "and one text rather than many",
    ""};
constexpr AdviceText kWaitsForThread = {
    "the loop waits for another thread: let that run further ahead", ""};
constexpr AdviceText kGapComputes = {
    "move this host work out of the loop, do it on the device, or do it on another thread while "
    "the device works; issue the step's device work first",
    ""};
constexpr AdviceText kHotspotOther = {
    "look at what these operations do, and whether a library has a faster form of it", ""};
constexpr std::string_view kACore =
    "give the loop a core: run no other program beside it, and no more threads (OMP_NUM_THREADS) "
    "and loader workers together than there are cores";
constexpr std::string_view kFewerThreads =
    "let this program run no more threads (OMP_NUM_THREADS, thread pools) and loader workers "
    "together "
    "than there are cores";
constexpr std::string_view kOnceBeforeTheLoop =
    "make the values once before the loop and keep them on the device, or collect them in one "
    "tensor per batch and copy that once";
constexpr std::string_view kCopyAhead =
    "copy the next batch while the device computes this one: on a stream of its own, a step "
    "ahead, with an event that the compute waits for; results that go to the host likewise, on a "
    "stream that waits for them";
constexpr std::string_view kFewerBytes =
    "copy fewer bytes (half precision or integers, converted on the device), or keep there what "
    "does not change: the copies take longer than all else of the step and cannot hide behind it";
constexpr std::string_view kHalfAsOften =
    "run it half as often, which is what the forecast is of, or, where the steps learn from what "
    "it "
    "makes, make it cheaper: more of it in one operation, fewer batches, its results kept where "
    "they are computed, what the step has computed used again, files written from another thread";
constexpr std::string_view kPartOfTraining =
    "it is part of the training, and run less often, which is what the forecast is of, it trains "
    "otherwise: make it cheaper, or try whether it learns as well at half the rate";
constexpr std::string_view kOneBatch =
    "generate all sequences as one batch: a pass takes hardly longer for eight than for one; then "
    "capture the pass in a CUDA graph (a static cache, constant shapes)";

constexpr Row kRows[] = {
    {Advice::core_contention,
     {kACore,
      "torch.set_num_threads({threads})\n"
      "DataLoader(dataset, num_workers={workers})"},
     {kACore,
      "at::set_num_threads({threads});\n"
      "torch::data::DataLoaderOptions().workers({workers})"}},
    {Advice::core_contention_of_own_threads,
     {kFewerThreads,
      "torch.set_num_threads({threads})\n"
      "DataLoader(dataset, num_workers={workers})"},
     {kFewerThreads,
      "at::set_num_threads({threads});\n"
      "torch::data::DataLoaderOptions().workers({workers})"}},
    {Advice::page_faults,
     {"let the allocator keep what is freed: settings of the C library's, or another allocator "
      "(jemalloc, tcmalloc), before the program starts; or write results into tensors that stay "
      "(out=, "
      "in-place forms)",
      "MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_MMAP_MAX_=0 python ...   # glibc\n"
      "LD_PRELOAD=libjemalloc.so.2 python ...                           # or another allocator"},
     {"let the allocator keep what is freed: settings of the C library's, or another allocator "
      "(jemalloc, tcmalloc); or write results into tensors that stay (_out forms, in-place forms)",
      "mallopt(M_MMAP_MAX, 0); mallopt(M_TRIM_THRESHOLD, INT_MAX);   // first in main(), with "
      "glibc"}},
    {Advice::input_waits,
     {"let more workers make the input, further ahead, or make less of it on the host: what each "
      "worker does per batch is what limits the loop",
      "DataLoader(dataset, num_workers={workers}, pin_memory=True, prefetch_factor=4, "
      "persistent_workers=True)\nbatch = batch.to(device, non_blocking=True).float()"},
     {"let more threads make the input, further ahead, or make less of it on the host: what each "
      "of them does per batch is what limits the loop",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)\n"
      "batch = batch.to(device, /*non_blocking=*/true).to(torch::kFloat);"}},
    {Advice::input_waits_without_device,
     {"let more workers make the input, further ahead, or make less of it for each batch: what "
      "each worker does per batch is what limits the loop",
      "DataLoader(dataset, num_workers={workers}, prefetch_factor=4, persistent_workers=True)"},
     {"let more threads make the input, further ahead, or make less of it for each batch: what "
      "each of them does per batch is what limits the loop",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)"}},
    {Advice::input_waits_for_cores,
     {"make less of it for each batch, half of it in the forecast: once before the run, or for a "
      "whole batch in place of a sample at a time; more workers would find no core",
      "def __getitems__(self, rows):  # of the dataset, called once a batch\n"
      "    return self.images[rows], self.labels[rows]\n"
      "DataLoader(dataset, ..., collate_fn=tuple)  # its other arguments stay"},
     {"make less of it for each batch, half of it in the forecast: once before the run, or for a "
      "whole batch in place of a sample at a time; more threads would find no core",
      "class Data : public torch::data::BatchDataset<Data, Batch>  // get_batch() makes a batch"}},
    {Advice::input_waits_for_others,
     {"let it run some steps ahead, in more processes (twice as many in the forecast), or do less "
      "each time; if it answers what this step asks for (an environment, a server), ask earlier "
      "and do other work until the answer is "
      "there, or ask for several at once",
      "batches = multiprocessing.Queue(maxsize=8)\n"
      "# filled by processes: threads of one Python compute in turns"},
     {"let it run some steps ahead, on more threads, or do less each time; if it answers what this "
      "step asks for, ask earlier and do other work until the answer is there",
      ""}},
    {Advice::input_workers_start,
     {"make the loader once, before the loop over epochs, and let its workers stay",
      "loader = DataLoader(dataset, ..., persistent_workers=True)   # once; its other arguments "
      "stay"},
     {"make the loader once, before the loop over epochs, and let its threads stay", ""}},
    {Advice::input_is_chosen,
     {"choose the samples faster, in half the time in the forecast: all of an epoch at once (one "
      "torch.randperm, or NumPy in place of a Python loop), before the epoch or on a thread of its "
      "own",
      "order = torch.randperm(len(dataset)).tolist()   # once an epoch, in the sampler's __iter__\n"
      "yield from order"},
     {"choose the samples faster, in half the time in the forecast: all of an epoch at once, "
      "before "
      "the epoch or on a thread of its own",
      ""}},
    {Advice::input_is_made,
     {"make the input beside the step (a DataLoader with workers, or a thread that fills pinned "
      "buffers some batches ahead); cast and normalise on the device",
      "DataLoader(dataset, num_workers={workers}, pin_memory=True, prefetch_factor=4, "
      "persistent_workers=True)\nbatch = batch.to(device, non_blocking=True).float()"},
     {"make the input beside the step (torch::data::DataLoader with workers, or a thread that "
      "fills pinned buffers some batches ahead); cast and normalise on the device",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)\n"
      "batch = batch.to(device, /*non_blocking=*/true).to(torch::kFloat);"}},
    {Advice::input_is_made_without_device,
     {"make the input beside the step, in workers of a DataLoader: they must not want the cores "
      "that the step computes on",
      "DataLoader(dataset, num_workers={workers}, prefetch_factor=4, persistent_workers=True)"},
     {"make the input beside the step, in workers of a torch::data::DataLoader: they must not want "
      "the cores that the step computes on",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)"}},
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
    {Advice::loop_invariant,
     {"if it is the same each time, build it once: as a buffer of the module, or cached by its "
      "size; is_causal=True needs no mask at all",
      "self.register_buffer('mask', causal_mask(length), persistent=False)"},
     {"if it is the same each time, build it once: as a buffer of the module, or cached by its "
      "size; an attention that is causal needs no mask at all",
      "mask = register_buffer(\"mask\", causal_mask(length));"}},
    {Advice::repeated_launches,
     {"make one operation of the loop: the torch._foreach functions and get_total_norm take lists "
      "of "
      "tensors (moving averages, norms, clipping), other work takes one stacked or flat tensor; "
      "what "
      "is only logged is needed once in n steps",
      "torch._foreach_lerp_(averages, parameters, 1 - decay)   # not: for a, p in zip(...)\n"
      "norms = torch._foreach_norm(gradients)"},
     {"make one operation of the loop: at::_foreach_lerp_, at::_foreach_norm and their likes take "
      "lists of tensors, other work takes one stacked or flat tensor; what is only logged is "
      "needed "
      "once in n steps",
      "at::_foreach_lerp_(averages, parameters, 1 - decay);   // not one after another"}},
    {Advice::launch_bound,
     {"capture the step in a CUDA graph, or compile it (in PyTorch torch.compile with "
      "mode='reduce-overhead' does both, in JAX lax.scan over several steps); fuse element-wise "
      "operations, or give each kernel more to do with a larger batch",
      "model = torch.compile(model, mode='reduce-overhead')   # compiles anew for other shapes"},
     {"capture the step in a CUDA graph (cudaStreamBeginCapture, in LibTorch at::cuda::CUDAGraph); "
      "fuse element-wise operations in a kernel of your own, or give each kernel more to do with a "
      "larger batch",
      "graph.capture_begin(); step(); graph.capture_end();   // once\n"
      "graph.replay();                                       // each step"}},
    {Advice::launch_bound_without_device,
     {"do more in each operation: a larger batch, one operation on a stacked tensor in place of a "
      "Python loop over its parts, or torch.compile, which joins chains of small ones",
      "model = torch.compile(model)   # compiles for up to a minute, and again for other shapes\n"
      "losses = loss(model(torch.stack(parts)))     # not: [loss(model(p)) for p in parts]"},
     {"do more in each operation: a larger batch, one operation on a stacked tensor in place of a "
      "loop over its parts, or one loop over the raw data in place of a chain of small ones",
      "auto losses = loss(model->forward(torch::stack(parts)));   // not a forward for each part"}},
    {Advice::launch_bound_without_compiler,
     {"do more in each operation: a larger batch, or one operation on a stacked tensor in place of "
      "a Python loop over its parts",
      "losses = loss(model(torch.stack(parts)))     # not: [loss(model(p)) for p in parts]"},
     {"do more in each operation: a larger batch, or one operation on a stacked tensor in place of "
      "a loop over its parts",
      "auto losses = loss(model->forward(torch::stack(parts)));   // not a forward for each part"}},
    {Advice::launch_bound_of_repeats,
     {"if no pass needs what one before it made (the samples of a batch, the parts of an input), "
      "stack their inputs and make one pass over all of them; if each does (the steps of a "
      "sequence), give each more to do (a larger batch), or compile the body of the loop",
      "outputs = model(batch)               # not: [model(sample) for sample in batch]\n"
      "loss = loss_function(outputs, targets)"},
     {"if no pass needs what one before it made (the samples of a batch, the parts of an input), "
      "stack their inputs and make one pass over all of them; if each does (the steps of a "
      "sequence), give each more to do (a larger batch)",
      "auto outputs = model->forward(batch);   // not a forward for each sample\n"
      "auto loss = loss_function(outputs, targets);"}},
    {Advice::values_read_without_device,
     {"read many values at once; print, log or look at them once in many steps, and one text "
      "rather than many; add them up in a tensor until then, and write from another thread where "
      "each one "
      "counts",
      "values = tensor.tolist()             # not [v.item() for v in tensor]\n"
      "running += loss.detach()             # not print(loss.item())\n"
      "if step % 100 == 0: print(running.item() / 100); running.zero_()"},
     {"print, log or look at values once in many steps, and one text rather than many; add them up "
      "in a tensor until then, and write from another thread where each one counts",
      "running += loss.detach();             // not loss.item<float>()\n"
      "if (step % 100 == 0) { log(running.item<float>() / 100); running.zero_(); }"}},
    {Advice::sequential_generation,
     {kOneBatch,
      "tokens = generate(model, prompt.expand(n, -1))     # not n times generate(prompt)"},
     {kOneBatch,
      "auto tokens = generate(model, prompt.expand({n, -1}));   // not n times generate(prompt)"}},
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
      "block = torch.compile(block)"},
     {"each of these kernels reads and writes all of its tensors: fuse chains of them in a kernel "
      "of your own, drop casts and copies, and use in-place or fused forms",
      "x.mul_(scale).add_(shift);   // in place"}},
    {Advice::hotspot_elementwise_without_device,
     {"each of these operations reads and writes all of its tensors: fuse chains of them "
      "(torch.compile), drop casts and copies, and use in-place forms",
      "block = torch.compile(block)"},
     {"each of these operations reads and writes all of its tensors: fuse chains of them in one "
      "loop over the raw data, drop casts and copies, and use in-place forms",
      "x.mul_(scale).add_(shift);   // in place"}},
    {Advice::hotspot_elementwise_with_gradients,
     {"each of these operations reads and writes all of its tensors: fuse chains of them "
      "(torch.compile), drop casts and copies, and use in-place forms; what no gradient needs "
      "(evaluation, metrics) belongs under torch.no_grad()",
      "block = torch.compile(block)"},
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

constexpr bool rows_are_in_order() {
  std::size_t at = 0;
  for (const Row& row : kRows)
    if (static_cast<std::size_t>(row.advice) != at++) return false;
  return at == kAdviceCount;
}
static_assert(rows_are_in_order(), "one row for each advice, in the order of the enumeration");

}  // namespace

AdviceText text_of(Advice advice, Language language) {
  const Row& row = kRows[static_cast<std::size_t>(advice)];
  return language == Language::cpp ? row.cpp : row.python;
}

void advise(Advice advice, Language language, Finding& out) {
  const AdviceText text = text_of(advice, language);
  out.fix = text.fix;
  out.code_hint = text.code_hint;
}

void put_text(std::string_view name, std::string_view text, std::string& hint) {
  for (std::size_t at = hint.find(name); at != std::string::npos; at = hint.find(name, at))
    hint.replace(at, name.size(), text);
}

void put_number(std::string_view name, std::uint32_t number, std::string& hint) {
  put_text(name, std::to_string(number), hint);
}

}  // namespace stepscope::rules

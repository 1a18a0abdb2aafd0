// SPDX-License-Identifier: Apache-2.0
// Advice on the machine's cores and memory, and how a batch is made. The rows follow the order of
// Advice; advice.cpp joins them.
#pragma once

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {

inline constexpr std::string_view kACore =
    "give the loop a core: run no other program beside it, and no more threads (OMP_NUM_THREADS) "
    "and loader workers together than there are cores";
inline constexpr std::string_view kFewerThreads =
    "let this program run no more threads (OMP_NUM_THREADS, thread pools) and loader workers "
    "together "
    "than there are cores";

inline constexpr std::string_view kMoreCores =
    "give the program a core more, or less to do beside the step (what loader workers and other "
    "processes of its own make); with fewer threads the loop's would compute for longer than it "
    "waits now";

inline constexpr std::string_view kNotFewerWorkers =
    "give the program a core more: run no other program beside it, and no more threads "
    "(OMP_NUM_THREADS) than cores that its loader's workers leave; the loop waits for them, so it "
    "keeps them";

inline constexpr std::string_view kConcatenated =
    "return images, torch.cat(boxes), torch.tensor([len(b) for b in boxes])   # in collate_fn\n"
    "boxes = boxes.split(sizes.tolist())                                      # in the loop";
inline constexpr std::string_view kFewerTensors =
    "send fewer and larger tensors, and split them in the loop, which copies nothing";

inline constexpr AdviceRow kInputAdvice[] = {
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
    {Advice::core_contention_of_own_work, {kMoreCores, ""}, {kMoreCores, ""}},
    {Advice::core_contention_of_a_loop_that_waits,
     {kNotFewerWorkers, "torch.set_num_threads({threads})"},
     {kNotFewerWorkers, "at::set_num_threads({threads});"}},
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
      "whole batch in place of a sample at a time; more workers would find no core, unless the "
      "step "
      "computes with fewer threads (torch.set_num_threads)",
      "def __getitems__(self, rows):  # of the dataset, called once a batch\n"
      "    return self.images[rows], self.labels[rows]\n"
      "DataLoader(dataset, ..., collate_fn=tuple)  # its other arguments stay"},
     {"make less of it for each batch, half of it in the forecast: once before the run, or for a "
      "whole batch in place of a sample at a time; more threads would find no core",
      "class Data : public torch::data::BatchDataset<Data, Batch>  // get_batch() makes a batch"}},
    {Advice::input_is_on_its_way,
     {"send fewer and larger tensors: a thread of the worker packs them, and with pin_memory one "
      "of the "
      "loader unpacks them, each by itself. Let collate_fn concatenate those of one kind and send "
      "their "
      "sizes beside them, and split them in the loop, which copies nothing",
      kConcatenated},
     {kFewerTensors, ""}},
    {Advice::input_waits_for_others,
     {"let it run some steps ahead, in more processes (twice as many in the forecast), or do less "
      "each time; if it answers what this step asks for (an environment, a server), ask earlier "
      "and do other work until the answer is "
      "there, or ask for several at once",
      "batches = multiprocessing.Queue(maxsize=8)\n"
      "# filled by processes (threads of one Python compute in turns) with NumPy arrays: tensors\n"
      "# are gone with the process that made them"},
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
    {Advice::input_is_quick,
     {"make less of it for each batch, half of it in the forecast: for a whole batch in place of a "
      "sample at a time, or once before the run; a worker would not pay, for taking a batch from "
      "one costs 0.2 to 1.5 ms",
      "def __getitems__(self, rows):  # of the dataset, called once a batch\n"
      "    return self.images[rows], self.labels[rows]\n"
      "DataLoader(dataset, ..., collate_fn=tuple)  # its other arguments stay"},
     {"make less of it for each batch, half of it in the forecast: for a whole batch in place of a "
      "sample at a time, or once before the run; a worker would not pay, for taking a batch from "
      "one costs about as much",
      "class Data : public torch::data::BatchDataset<Data, Batch>  // get_batch() makes a batch"}},
    {Advice::input_is_made,
     {"make the input beside the step (a DataLoader with workers, or a thread that fills pinned "
      "buffers some batches ahead); cast and normalise on the device",
      "DataLoader(dataset, num_workers={workers}, pin_memory=True, prefetch_factor=4, "
      "persistent_workers=True)\nbatch = batch.to(device, non_blocking=True).float()"},
     {"make the input beside the step (torch::data::DataLoader with workers, or a thread that "
      "fills pinned buffers some batches ahead); cast and normalise on the device",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)\n"
      "batch = batch.to(device, /*non_blocking=*/true).to(torch::kFloat);"}},
    {Advice::input_is_made_beside_workers,
     {"let the loader's workers make it, in the dataset or in collate_fn, in place of the loop, "
      "between taking a batch and its copy; cast and normalise on the device",
      "batch = batch.to(device, non_blocking=True).float()   # with pin_memory=True in the loader"},
     {"let the loader's threads make it, in the dataset or in its transform, in place of the loop; "
      "cast and normalise on the device",
      "batch = batch.to(device, /*non_blocking=*/true).to(torch::kFloat);"}},
    {Advice::input_is_made_in_forward,
     {"where it is the same for each batch (a mask, a bias, a table), build it once, as a buffer "
      "of "
      "the module or cached by its size, or on the device; where it belongs to the batch, make it "
      "beside the step (a DataLoader with workers)",
      "self.register_buffer('bias', attention_bias(length), persistent=False)   # once\n"
      "steps = torch.arange(length, device=x.device)                           # not on the host"},
     {"where it is the same for each batch (a mask, a bias, a table), build it once, as a buffer "
      "of "
      "the module or cached by its size, or on the device; where it belongs to the batch, make it "
      "beside the step (torch::data::DataLoader with workers)",
      "bias = register_buffer(\"bias\", attention_bias(length));"}},
    {Advice::input_is_made_without_device,
     {"make the input beside the step, in workers of a DataLoader: they must not want the cores "
      "that the step computes on. Where samples are rows of a tensor, one look-up for the whole "
      "batch is quicker than any worker",
      "DataLoader(dataset, num_workers={workers}, prefetch_factor=4, persistent_workers=True)\n"
      "def __getitems__(self, rows): return self.x[rows], self.y[rows]   # and "
      "collate_fn=tuple"},
     {"make the input beside the step, in workers of a torch::data::DataLoader: they must not want "
      "the cores that the step computes on",
      "torch::data::DataLoaderOptions().workers({workers}).max_jobs(16)"}},
    {Advice::unpacking_needs_no_worker,
     {"let the loop make its batches itself: that is shorter than taking them from a worker, and "
      "leaves a core to the step",
      "DataLoader(dataset, num_workers=0)   # and no prefetch_factor, no persistent_workers"},
     {"let the loop make its batches itself: that is shorter than taking them from a worker",
      "torch::data::DataLoaderOptions().workers(0)"}},
    {Advice::unpacking_of_many_tensors,
     {"send fewer and larger tensors: each is mapped by itself. Let collate_fn concatenate those "
      "of one "
      "kind and send their sizes beside them, and split them in the loop, which copies nothing",
      kConcatenated},
     {kFewerTensors, ""}},
    {Advice::unpacking_of_few_tensors,
     {"let each take bring several batches, two in the forecast, and split them in the loop, which "
      "copies nothing",
      "for images, labels in DataLoader(dataset, batch_size=2 * size, ...):   # other arguments "
      "stay\n"
      "    for image, label in zip(images.split(size), labels.split(size)):"},
     {"let each take bring several batches, and split them in the loop, which copies nothing", ""}},
};

}  // namespace stepscope::rules

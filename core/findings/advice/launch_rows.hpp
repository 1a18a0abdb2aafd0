// SPDX-License-Identifier: Apache-2.0
// Advice on many small operations, and work that is done again and again. The rows follow the order of
// Advice; advice.cpp joins them.
#pragma once

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {

inline constexpr std::string_view kOneBatch =
    "generate all sequences as one batch: a pass takes hardly longer for eight than for one; then "
    "capture the pass in a CUDA graph (a static cache, constant shapes)";

inline constexpr AdviceRow kLaunchAdvice[] = {
    {Advice::loop_invariant,
     {"if it is the same each time, build it once: as a buffer of the module, or cached by its "
      "size; is_causal=True needs no mask at all",
      "self.register_buffer('mask', causal_mask(length), persistent=False)"},
     {"if it is the same each time, build it once: as a buffer of the module, or cached by its "
      "size; an attention that is causal needs no mask at all",
      "mask = register_buffer(\"mask\", causal_mask(length));"}},
    {Advice::repeated_launches,
     {"make one operation of the loop: the torch._foreach functions and get_total_norm take lists "
      "of tensors (moving averages, norms, clipping); other work takes one stacked, padded or flat "
      "tensor, with index_add or scatter where samples are of several sizes; what is only logged "
      "is "
      "needed once in n steps",
      "torch._foreach_lerp_(averages, parameters, 1 - decay)   # not: for a, p in zip(...)\n"
      "sums = zeros.index_add(0, group, values)                # not: values[group == g] for each "
      "g\n"
      "rows = table[indices]                                   # not: stack([table[i] for i in "
      "indices])\n"
      "image[:, y:y + 16, x:x + 16] = 0.5                      # not element by element"},
     {"make one operation of the loop: at::_foreach_lerp_, at::_foreach_norm and their likes take "
      "lists of tensors, other work takes one stacked or flat tensor; what is only logged is "
      "needed "
      "once in n steps",
      "at::_foreach_lerp_(averages, parameters, 1 - decay);   // not one after another"}},
    {Advice::launch_bound,
     {"capture the whole step in a CUDA graph, which is what the forecast is of (constant shapes, "
      "no wait or read inside; in JAX lax.scan over several steps). torch.compile with "
      "mode='reduce-overhead' is less work and captures forward and backward alone: what loss, "
      "optimizer and recurrent layers take stays. Or give each kernel more to do with a larger "
      "batch",
      "with torch.cuda.graph(graph): step(static_batch)   # once, behind some warm-up steps\n"
      "static_batch.copy_(batch); graph.replay()          # each step, optimizer capturable=True\n"
      "model = torch.compile(model, mode='reduce-overhead')   # instead: anew for other shapes"},
     {"capture the step in a CUDA graph (cudaStreamBeginCapture, in LibTorch at::cuda::CUDAGraph); "
      "fuse element-wise operations in a kernel of your own, or give each kernel more to do with a "
      "larger batch",
      "graph.capture_begin(); step(); graph.capture_end();   // once\n"
      "graph.replay();                                       // each step"}},
    {Advice::launch_bound_with_waits,
     {"no CUDA graph holds the waits, so they go first: decide on the device (torch.where and "
      "masks "
      "that keep shapes, in place of indexing by a mask, .item() and .cpu()), and make one "
      "operation of what a loop does for each sample (index_add, scatter, padded batches). Then "
      "capture the whole step, which is what the forecast is of",
      "total = h.new_zeros(groups, width).index_add(0, group, h)   # not: h[group == g] for each "
      "g\n"
      "value = torch.where(mask, value, 0)                         # not: value[mask]"},
     {"no CUDA graph holds the waits, so they go first: decide on the device (at::where and masks "
      "that keep shapes, in place of indexing by a mask, .item() and .cpu()), and make one "
      "operation of what a loop does for each sample (index_add, scatter, padded batches). Then "
      "capture the whole step, which is what the forecast is of",
      "auto total = h.new_zeros({groups, width}).index_add(0, group, h);"}},
    {Advice::launch_bound_without_device,
     {"do more in each operation: a larger batch, one operation on a stacked tensor in place of a "
      "Python loop over its parts, or torch.compile, which joins chains of small ones (it needs "
      "a C++ compiler and Python's headers)",
      "model = torch.compile(model)   # up to a minute for each shape; dynamic=False for a few "
      "shapes\n"
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
      "sequence), let one layer run the whole sequence (nn.LSTM or nn.GRU in place of cells), give "
      "each pass more to do (a larger batch), or compile the body of the loop",
      "outputs = model(batch)               # not: [model(sample) for sample in batch]\n"
      "loss = loss_function(outputs, targets)"},
     {"if no pass needs what one before it made (the samples of a batch, the parts of an input), "
      "stack their inputs and make one pass over all of them; if each does (the steps of a "
      "sequence), give each more to do (a larger batch)",
      "auto outputs = model->forward(batch);   // not a forward for each sample\n"
      "auto loss = loss_function(outputs, targets);"}},
    {Advice::launch_bound_of_a_loop,
     {"if no iteration needs what one before it made, make one operation for all of them: on one "
      "stacked, padded or flat tensor, with random numbers for each sample in a tensor, "
      "torch.where "
      "for what only some need, and index_add or scatter where samples are of several sizes; for "
      "parameters the torch._foreach functions and get_total_norm. If each does, compile the "
      "loop's body. What is only logged is needed once in n steps",
      "images = torch.where(flip[:, None, None, None], images.flip(3), images)   # not one by one\n"
      "sums = zeros.index_add(0, group, values)                # not: values[group == g] for each "
      "g\n"
      "rows = table[indices]                                   # not: stack([table[i] for i in "
      "indices])\n"
      "torch._foreach_lerp_(averages, parameters, 1 - decay)   # not: for a, p in zip(...)"},
     {"if no iteration needs what one before it made, make one operation for all of them on one "
      "stacked, padded or flat tensor; for parameters at::_foreach_lerp_, at::_foreach_norm and "
      "their likes. What is only logged is needed once in n steps",
      "at::_foreach_lerp_(averages, parameters, 1 - decay);   // not one after another"}},
    {Advice::launch_bound_of_micro_batches,
     {"make fewer and larger micro-batches, as far as memory allows: their sum of gradients is the "
      "same (not with batch normalisation)",
      "batch = {times} * micro_batch         # and accumulate over so many times fewer of them"},
     {"make fewer and larger micro-batches, as far as memory allows: their sum of gradients is the "
      "same (not with batch normalisation)",
      ""}},
    {Advice::values_read_without_device,
     {"make, print, log or look at them once in many steps, and one text rather than many; add "
      "them up in a tensor until then, read many values of one tensor at once (tolist()), and "
      "write "
      "from another thread where each one counts",
      "if step % 100 == 0: log(norms(model))   # not in each step\n"
      "running += loss.detach()                # not print(loss.item())\n"
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
};

}  // namespace stepscope::rules

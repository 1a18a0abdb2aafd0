// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/fixes.hpp"

#include <array>

namespace stepscope::token_pipeline {
namespace {

using Fix = trainers::Switch<Fixes>;

constexpr std::array kFixes{
    Fix{"R0", "baseline",
        "a tensor on the device for every token's type, batches put together by repeated "
        "concatenation, few workers that begin anew each epoch, copies from pageable memory that "
        "wait, every sample padded to the longest of its batch",
        nullptr},
    Fix{"R1", "vectorised",
        "all tokens of a batch are embedded at once and put in their places by one index: no loop "
        "over samples, and no tensor is made on the host in the forward pass",
        &Fixes::vectorised},
    Fix{"R2", "preallocated_collate",
        "a worker writes each sample once, into memory that batches use again",
        &Fixes::preallocated_collate},
    Fix{"R3", "workers", "8 worker threads a rank in place of 3", &Fixes::workers},
    Fix{"R4", "persistent_workers", "workers, and their copies of the data, outlive an epoch",
        &Fixes::persistent_workers},
    Fix{"R5", "pinned",
        "on a GPU batches lie in pinned memory, and the host does not wait for their copies",
        &Fixes::pinned},
    Fix{"R6", "prefetch",
        "on a GPU the next two batches are copied on a stream of their own, beside the step",
        &Fixes::prefetch, &Fixes::pinned},
    Fix{"R7", "bucketing",
        "a batch is sorted by length and trained in parts, each padded to its own longest sample",
        &Fixes::bucketing},
    Fix{"", "larger_batch", "twice the samples a step: another training, compare its samples/s",
        &Fixes::larger_batch},
};

}  // namespace

const trainers::Switches<Fixes>& all_fixes() {
  static constexpr trainers::Switches<Fixes> kAll("fix", kFixes);
  return kAll;
}

Fixes every_fix() {
  return *all_fixes().up_to("R7");
}

}  // namespace stepscope::token_pipeline

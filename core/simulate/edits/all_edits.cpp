// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/edit.hpp"
#include "core/simulate/edits/edits.hpp"

namespace stepscope {
namespace {

constexpr EditRow kEdits[] = {
    {FixKind::remove_sync, "remove_sync",
     "the host no longer waits at these calls; a read of the device goes with it", remove_sync},
    {FixKind::pin_memory, "pin_memory", "copies of pageable memory become pinned and asynchronous",
     pin_memory},
    {FixKind::prefetch_input, "prefetch_input",
     "input is prepared beside the step; the loop waits for what is late", prefetch_input},
    {FixKind::make_in_loop, "make_in_loop",
     "a DataLoader has no workers: the loop makes its batches itself", make_in_loop},
    {FixKind::merge_copies, "merge_copies", "the copies of a line become one a step", merge_copies},
    {FixKind::hoist_invariant, "hoist_invariant", "this work runs once, before the loop",
     hoist_invariant},
    {FixKind::fuse_optimizer, "fuse_optimizer", "the optimizer's kernels on the device become few",
     fuse_optimizer},
    {FixKind::capture_graph, "capture_graph", "launches become one launch of a CUDA graph",
     capture_graph},
    {FixKind::scale_work, "scale_work", "device work takes :factor=F times as long", scale_work},
    {FixKind::overlap_transfer, "overlap_transfer",
     "communication, or the copies of a place, run beside compute", overlap_transfer},
    {FixKind::drop_work, "drop_work", "this phase or line does nothing any more", drop_work},
    {FixKind::less_often, "less_often",
     "this phase runs in one of :every=N steps of those in which it runs now", less_often},
    {FixKind::fuse_work, "fuse_work",
     "device operations one after another become one, in :factor=F of their time", fuse_work},
    {FixKind::batch_repeats, "batch_repeats",
     "what this phase does :every=N times one after another, it does once for all", batch_repeats},
};

}  // namespace

std::span<const EditRow> all_edits() {
  return kEdits;
}

}  // namespace stepscope

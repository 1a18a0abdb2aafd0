// SPDX-License-Identifier: Apache-2.0
// The edits, one for each FixKind and in the order of all_edits(). The head of an edit's source file
// states its rule.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void remove_sync(Edit& edit);
void pin_memory(Edit& edit);
void prefetch_input(Edit& edit);
void make_in_loop(Edit& edit);
void merge_copies(Edit& edit);
void hoist_invariant(Edit& edit);
void fuse_optimizer(Edit& edit);
void capture_graph(Edit& edit);
void scale_work(Edit& edit);
void overlap_transfer(Edit& edit);
// The part of overlap_transfer that is about uploads.
bool is_upload(const Edit& edit, const DeviceTask& op);
void upload_ahead(Edit& edit);
void drop_work(Edit& edit);
void less_often(Edit& edit);
void fuse_work(Edit& edit);
void batch_repeats(Edit& edit);

}  // namespace stepscope

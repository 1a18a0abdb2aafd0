// SPDX-License-Identifier: Apache-2.0
// The user's line behind a moment on a host thread: the recorded call site of the op or call there,
// else the innermost Python function of user code (a function line: the call is somewhere in its
// body).
//
// Work of a backward node is at the line of the forward op that made the node, direction backward
// (forward_ops.hpp). Python of the user that a node runs keeps its own line: where that line runs
// outside of nodes too, and makes nodes, it is done once more (recompute), else it is backward work
// of its own.
// Operations that a node runs at no line of its own, and between which nodes are made, are forward
// work that is done once more as well: activation checkpointing of PyTorch's own modules. So are calls
// at a package's lines in a node in which nodes are made. A node's own time on the way to such work is
// that work's. What
// the engine does around a node, in its frame of it (gradients of one tensor that several ops used
// are added up there), is at the node's line. Nodes
// without a forward op (gradient accumulation, hooks) and the engine's time between nodes are at
// the line that asked for the pass, with no direction: the line where the node began if it ran on
// that thread, else the caller's line at that moment (or where the sampler saw it in that silence),
// else that of its last call.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attribution/direction.hpp"
#include "core/attribution/host/threads.hpp"
#include "core/attribution/places/forward_ops.hpp"

namespace stepscope {

class CallSites {
 public:
  CallSites(const Trace& trace, const Threads& threads);

  // The line at `time` on `thread`, where `innermost` is the range active there (or kNone).
  CodeLine at(ThreadId thread, std::int64_t time, RangeId innermost) const;

  // The forward op that made a node, or the node of an engine's frame; kNone of all other ranges,
  // and where it is not in the trace.
  RangeId made_in(RangeId range) const;

 private:
  struct Pass {             // a backward pass around a range
    RangeId node = kNone;   // the innermost node
    SiteId caller = kNone;  // the line that asked for the pass, where its nodes say it
  };

  void find_plain(const std::vector<bool>& counts);
  void find_passes();
  void find_frames();
  bool runs_package(RangeId range) const;
  void find_recomputed();
  void keep_makers();
  std::vector<bool> sites_of_forward_passes() const;
  CodeLine line_in_pass(RangeId range, const std::vector<bool>& forward) const;
  CodeLine line_of_node(RangeId node) const;
  CodeLine line_in_frame(RangeId range) const;
  CodeLine callers_line(std::int64_t time) const;
  RangeId runs_again_next(RangeId node, std::int64_t time) const;
  SiteId sampled(Interval silence, std::int64_t time) const;
  std::uint32_t first_sample(std::int64_t time) const;

  const Trace& trace_;
  const Threads& threads_;
  // While the lines are found.
  std::vector<RangeId> enclosing_;  // row_order.hpp
  std::optional<ForwardOps> forward_;
  std::vector<SiteId> plain_;      // a range: the line of itself or of what encloses it
  std::vector<bool> is_users_;     // a site: in a file of the user's
  std::vector<Pass> passes_;       // a range
  std::vector<RangeId> framed_;    // a range: the node of the engine's frame around it
  std::vector<bool> recomputed_;   // a range: an operation of a forward pass that is done once more
  std::vector<CodeLine> nearest_;  // a range: plain_, seen from its pass
  std::vector<std::pair<RangeId, RangeId>> makers_;  // nodes and frames with their op, ascending
};

// Whose code a Python file is: the user's own, or a library's. Profilers strip the prefixes of
// sys.path, so a standard library file may stand there as "queue.py" and a package's as
// "torch/nn/modules/x.py".

bool is_user_file(std::string_view path);

}  // namespace stepscope

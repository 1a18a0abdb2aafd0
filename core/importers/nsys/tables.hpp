// SPDX-License-Identifier: Apache-2.0
// The tables of an export of nsys, a reader each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/importers/nsys/database.hpp"
#include "core/importers/nsys/filling.hpp"
#include "core/model/events.hpp"

namespace stepscope::nsys {

// From a path to a database that is sound to read and an export of nsys.

// Messages come without the file's name. A gzip file is inflated into a temporary file that has no
// name any more once this returns.
Result<Database> open_export(const std::filesystem::path& path);

// What an export says about the run: processes and threads by name, devices, versions, the command,
// and what the tracer itself complained about.

// UTC of time 0 of the session; where the export does not say it, 1 s.
std::int64_t session_begin(const Database& database);
// When the session ended, on the clock of the events; 0 where not said.
std::int64_t session_end(Filling& to);

// After all events and Entities::finish.
Status read_facts(Filling& to, ProcessId main);

// Where the texts that events refer to were not exported.
void note_missing_names(Filling& to);

// Tables of events that hold rows and were not read.
void note_unread_tables(Filling& to, std::span<const char* const> read);

// What host threads did: calls of the CUDA runtime and driver, the tracer's own overhead, and calls
// of the operating system.

// Calls of the operating system inside a CUDA call are left out: they are how that call did its
// work, and it has its cause already.
Status read_host_tables(Filling& to);

// off_cpu for waits, io for files and sockets, other for the rest.
HostKind kind_of_os_call(std::string_view name);

// Kernels, copies, sets, whole graphs (CUDA_GRAPH_TRACE by graph) and the nodes of graphs.

Status read_device_tables(Filling& to);

// Waits (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) and event records (..._CUDA_EVENT), which also hold
// the stream and the event of the calls that made them.
//
// Which record a wait waits for: the one with its eventSyncId; where the export has none, the last
// record of that event whose call came before it (correlation ids of a process only grow).

// After the calls. True where waits were joined to records: then event waits are exact.
Result<bool> read_sync_tables(Filling& to);

// NVTX_EVENTS: push/pop and start/end ranges, marks, and the names of domains and streams' threads.
// A text stands in the row or, where the program registered it, in StringIds.

// A range that was still open when recording stopped ends at `last`, the end of the session.
Status read_nvtx_table(Filling& to, std::int64_t last);

// PyTorch's ops as torch.autograd.profiler.emit_nvtx (and nsys --pytorch=autograd-nvtx) writes them
// into NVTX ranges: "aten::mm, seq = 12, op_id = 314290, sizes = [[8, 8], [8, 8]]". Each call has a
// name of its own there, so without this every op would be a phase of its own.

struct OpAnnotation {
  std::string name;  // without what follows
  HostKind kind = HostKind::op;
  std::uint32_t sequence = kNoSequence;
};

// Nothing for what the program named itself; record_function under emit_nvtx gives a user_scope.
// PyProf and DLProf write a dictionary, {'mod': 'torch', 'op': 'randn', ...}: the op torch.randn.
std::optional<OpAnnotation> parse_op_annotation(std::string_view text);

// Whether PyProf wrote a range around an op of its own, for where it was called from.
bool surrounds_op(std::string_view text);

}  // namespace stepscope::nsys

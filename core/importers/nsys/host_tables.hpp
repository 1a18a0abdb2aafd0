// SPDX-License-Identifier: Apache-2.0
// What host threads did: calls of the CUDA runtime and driver, the tracer's own overhead, and calls
// of the operating system.
#pragma once

#include "core/importers/nsys/filling.hpp"

namespace stepscope::nsys {

// Calls of the operating system inside a CUDA call are left out: they are how that call did its
// work, and it has its cause already.
Status read_host_tables(Filling& to);

// off_cpu for waits, io for files and sockets, other for the rest.
HostKind kind_of_os_call(std::string_view name);

}  // namespace stepscope::nsys

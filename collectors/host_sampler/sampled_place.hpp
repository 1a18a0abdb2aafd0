// SPDX-License-Identifier: Apache-2.0
// The place where a thread of Python is, read while it may run: the innermost line of the user's
// code (or the least foreign there is: python_call_site.hpp), and what it had called.
//
// A worker of a DataLoader begins at PyTorch's worker loop: the frames around that are those of the
// process that forked it, and say nothing of the worker.
#pragma once

#include "collectors/host_sampler/code_table.hpp"
#include "collectors/host_sampler/frame_chain.hpp"

namespace stepscope::host_sampler {

struct Place {
  recorder::SiteRef site = 0;
  recorder::NameId called = 0, innermost = 0;
  std::uint8_t flags = 0;  // SampleFlag bits that follow from the frames
};

enum class Reading : std::uint8_t { nothing, place, torn };

// Whose frames are read. A worker's are recognised by the loop that they are in.
enum class Whose : std::uint8_t { own, maybe_worker };

// Tries a few times. nothing: the thread has no frame.
Reading read_place(const Memory& memory, const python::Layout& layout, CodeTable& codes,
                   Address thread, Whose whose, Place& place) noexcept;

}  // namespace stepscope::host_sampler

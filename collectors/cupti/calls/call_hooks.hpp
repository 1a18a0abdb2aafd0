// SPDX-License-Identifier: Apache-2.0
// CUDA calls through a subscriber's callbacks: entry and exit of the chosen functions, as records
// in the calling thread's ring. Only the outermost call of a thread whose callback is on is
// recorded: the runtime's calls make driver calls of their own, and below level deep the frequent
// ones are recorded as those (api_functions.hpp). At level deep so is the outermost of all other
// calls, where it is in no listed one; a listed call inside it keeps its own record.
#pragma once

#include <array>
#include <string_view>

#include "collectors/cupti/calls/api_functions.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/parts.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::cupti {

struct HookOptions {
  Level level = Level::standard;
  recorder::SiteRef (*call_site)() noexcept = nullptr;  // null: sites are not recorded
  // The thread's autograd counter, kept with a launch; null: it is not.
  std::uint64_t (*autograd_counter)() noexcept = nullptr;
  bool profiler_control = false;  // cudaProfilerStart and Stop are the capture's trigger
  // Calls that are left to the driver can be switched on as well, by a level of deep.
  bool layers = false;
  bool whole_graphs = false;  // no nodes of CUDA graphs: the records have none either
  Parts parts;
};

// CUPTI's callback; `user` is not used. Resource and state callbacks arrive here too.
void on_callback(void* user, std::uint32_t domain, std::uint32_t id, const void* data);

// Switches the chosen callbacks on. Before, nothing arrives.
Status enable_hooks(const Library& library, Subscriber subscriber,
                    const HookOptions& options) noexcept;

// Off and on again, where the user's plan says so. The profiler's start and stop stay on.
void switch_hooks(bool on) noexcept;
// What a callback does with a call, to measure its parts: nothing is not even counted.
enum class Answer : std::uint8_t { nothing, without_sites, whole };

// The same for what another level records, of what the hooks know.
void switch_hooks(bool on, Level level, Answer answer) noexcept;

// The calling thread is one of ours: its calls are none of the program's, from now on.
void leave_out_this_thread() noexcept;

// Correlation id of a launch since the last time this was asked; 0: there was none.
std::uint32_t take_launch() noexcept;

// The largest correlation id of a recorded launch of a CUDA graph; 0: there was none.
std::uint32_t last_graph_launch() noexcept;

// Whether a callback is one of those and on: it stays so whatever another user of CUPTI asks for.
bool is_hooked(std::uint32_t domain, std::uint32_t id) noexcept;

// CUPTI has shut itself down in this process (its own fatal error).
bool has_failed() noexcept;

// The CUDA calls that are not in the list of api_functions.hpp, for level deep: CUPTI says which
// there are, and they are known by name alone. Queries of some ten nanoseconds that a training step
// makes by the thousand, and that neither wait nor prepare work, are left out.

// A call's name as the list has it: without the suffixes for versions and default streams that
// CUPTI's names carry ("cudaMemcpyAsync_ptsz_v7000"). Empty where there is none of that id.
using CallName = std::array<char, 128>;
CallName call_name(const Library& library, Domain domain, std::uint32_t id) noexcept;

bool is_noise(std::string_view name) noexcept;

}  // namespace stepscope::cupti

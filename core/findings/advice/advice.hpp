// SPDX-License-Identifier: Apache-2.0
// A finding's advice, in the language of the program: one table for all rules. Two pieces of advice
// of one rule are two rows, such as a rule's with and without a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/findings/program_terms.hpp"
#include "core/summary/finding.hpp"

namespace stepscope::rules {

enum class Advice : std::uint8_t {
  core_contention,
  core_contention_of_own_threads,
  core_contention_of_own_work,           // fewer threads would make the step longer
  core_contention_of_a_loop_that_waits,  // for its loader: so would fewer workers
  page_faults,
  input_waits,
  input_waits_without_device,
  input_waits_for_cores,
  input_is_on_its_way,     // no worker makes what is waited for
  input_waits_for_others,  // for a thread or process that is no loader's
  input_workers_start,     // anew in each epoch
  input_is_chosen,         // by a sampler
  input_is_quick,          // about as quick to make as to take from a worker
  input_is_made,
  input_is_made_beside_workers,  // by the loop, though its loader has workers
  input_is_made_in_forward,      // a module makes it there, and uploads it
  input_is_made_without_device,
  unpacking_needs_no_worker,
  unpacking_of_many_tensors,
  unpacking_of_few_tensors,
  tiny_h2d,
  host_sync,
  pageable_copy,
  steady_alloc,
  steady_compile,
  gap_collects,
  gap_reads_or_writes,
  gap_sleeps,
  gap_sleeps_on_purpose,
  gap_waits_for_program,
  gap_waits_for_message,
  gap_waits_for_thread,
  gap_waits_for_turn,  // among threads that compute
  gap_computes,
  gap_computes_without_device,
  loop_invariant,
  repeated_launches,
  launch_bound,
  launch_bound_with_waits,  // several in each step, which no CUDA graph can hold
  launch_bound_without_device,
  launch_bound_without_compiler,
  launch_bound_of_repeats,  // the same pass, again and again
  launch_bound_of_a_loop,   // one without weights
  launch_bound_of_micro_batches,
  values_read_without_device,
  sequential_generation,
  unfused_attention,
  precision,
  precision_double,
  memory_layout,
  recomputation,
  losses_are_summed,          // one backward pass for all of them
  inputs_are_asked_together,  // their gradients
  hotspot_select,
  hotspot_reduce,
  hotspot_elementwise,
  hotspot_elementwise_without_device,
  hotspot_elementwise_with_gradients,  // without a device
  hotspot_other,
  exposed_comm,
  exposed_copy,
  exposed_copy_is_too_large,
  periodic_phase,
  periodic_phase_of_training,
  underfilled_gpu,
};
inline constexpr std::size_t kAdviceCount = static_cast<std::size_t>(Advice::underfilled_gpu) + 1;

struct AdviceText {
  std::string_view fix;
  std::string_view code_hint;  // may be empty
};

struct AdviceRow {
  Advice advice{};
  AdviceText python, cpp;
};

AdviceText text_of(Advice advice, Language language);
void advise(Advice advice, Language language, Finding& out);
// Puts a number of this program or machine into a hint, in place of `name`, such as "{workers}".
void put_text(std::string_view name, std::string_view text, std::string& hint);
void put_number(std::string_view name, std::uint32_t number, std::string& hint);

// Writes a hint that compiles a model for this function, since torch.compile(model) compiles its forward alone.
// A function that has no name, or is a forward, leaves the hint as it is.
void put_compiled_function(std::string_view function, std::string& hint);

// An optimizer whose step is many small operations: its fused form, or the next best that exists
// and computes the same. `name`: its class; empty where it is not known. `how`: whether it runs on the CPU, on a
// device by a kernel for each parameter, or there by kernels for lists of them (`foreach`).
struct OptimizerAdvice {
  std::string fix, code_hint;
  std::string check;  // what then is done: "with fused=True"
};
enum class OptimizerRuns : std::uint8_t { on_cpu, on_device, on_device_in_lists };
OptimizerAdvice optimizer_advice(std::string_view name, OptimizerRuns how, Language language);

}  // namespace stepscope::rules

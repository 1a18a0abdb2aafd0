// SPDX-License-Identifier: Apache-2.0
// One start for all the ways in: the loader's constructor (LD_PRELOAD, or any dlopen), the CUDA
// driver, NVTX. Idempotent, whichever comes first.
#pragma once

namespace stepscope::inject {

// Reads the settings, decides whether this process is selected, arms the recorder. Nothing is
// written before the first event.
void start_collectors() noexcept;

// Libraries have been mapped: hooks PyTorch and Python where they have come.
void look_for_libraries() noexcept;

// The same for XLA: CUPTI is not asked for its records then (xla.hpp).
void look_for_xla() noexcept;

// PyTorch was found, or CUDA has started: the process has hooks that record.
bool found_a_framework() noexcept;
// Whether threads that record nothing are sampled, by the settings of a selected process.
bool samples_threads() noexcept;

// The CUDA driver initialises. Device collection starts from here; without it the fact is recorded.
void on_cuda_start() noexcept;

// The program itself says from where to where to record, as by cudaProfilerStart and Stop.
void on_program_control(bool on) noexcept;

// main has returned, so the exit that follows is a return.
void on_main_returned() noexcept;

// _exit: no handlers run, so device records are taken in here, in the process that made them.
void on_quick_exit() noexcept;

}  // namespace stepscope::inject

// SPDX-License-Identifier: Apache-2.0
// One start for all the ways in: the loader's constructor (LD_PRELOAD, or any dlopen), the CUDA
// driver, NVTX. Idempotent, whichever comes first.
#pragma once

#include <string_view>

namespace stepscope::inject {

// Reads the settings, decides whether this process is selected, arms the recorder. Nothing is
// written before the first event.
void start_collectors() noexcept;

// Libraries have been mapped: hooks PyTorch and Python where they have come.
void look_for_libraries() noexcept;

// The same for XLA: CUPTI is not asked for its records then.
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

// Whether XLA's CUDA backend is in the process, by the libraries that are mapped. Its command
// buffers are CUDA graphs that are made node by node and whose nodes get new parameters between
// launches. A CUPTI that is asked for its records meanwhile (cuptiActivityFlushAll) breaks the
// program (13.0, measured: docs/design/recording.md). XLA itself launches no command buffers while
// its own profiler is on, and names memory corruption by CUPTI as the reason.

// Whether a library holds XLA's CUDA backend: JAX's, EXLA's or Reactant's. TensorFlow counts, too,
// unless PyTorch is there: PyTorch programs load TensorFlow for TensorBoard.
bool is_xla(std::string_view path, bool has_torch) noexcept;

// A look at what is mapped.
bool has_xla() noexcept;

// Programs in Python that call nothing that we hook: NumPy, scikit-learn, JAX on a CPU. Samples of
// their main thread are all there is of them.
//
// From the first library that the interpreter opens, a thread of ours waits until the main thread
// is out of its imports and the process has computed for 20 ms since the latest library: so a
// helper that imports and idles, or PyTorch on its way in, is left alone, and no look is spent on
// imports. Then the main thread is sampled as one that is silent throughout.

// A library has been opened. Once in a process that was started, not forked.
void watch_python_program() noexcept;

}  // namespace stepscope::inject

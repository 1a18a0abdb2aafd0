// SPDX-License-Identifier: Apache-2.0
// Programs in Python that call nothing that we hook: NumPy, scikit-learn, JAX on a CPU. Samples of
// their main thread are all there is of them.
//
// From the first library that the interpreter opens, a thread of ours waits until the main thread
// is out of its imports and the process has computed for 20 ms since the latest library: so a
// helper that imports and idles, or PyTorch on its way in, is left alone, and no look is spent on
// imports. Then the main thread is sampled as one that is silent throughout.
#pragma once

namespace stepscope::inject {

// A library has been opened. Once in a process that was started, not forked.
void watch_python_program() noexcept;

}  // namespace stepscope::inject

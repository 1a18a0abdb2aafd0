// SPDX-License-Identifier: Apache-2.0
// Marks a function that the CPU reference and the kernels share.
#pragma once

#ifdef __CUDACC__
#define STEPSCOPE_HOST_DEVICE __host__ __device__
#else
#define STEPSCOPE_HOST_DEVICE
#endif

// SPDX-License-Identifier: Apache-2.0
// The newest record of each kind in the CUPTI headers at hand, 12.4 to 13.5: what that CUPTI gives.
#pragma once

#include <cupti.h>

namespace stepscope::cupti {

#if CUPTI_API_VERSION >= 130400  // 13.4
using TheirKernel = CUpti_ActivityKernel13;
using TheirMemcpy = CUpti_ActivityMemcpy7;
using TheirMemset = CUpti_ActivityMemset5;
#elif CUPTI_API_VERSION >= 130300
using TheirKernel = CUpti_ActivityKernel12;
#elif CUPTI_API_VERSION >= 130100
using TheirKernel = CUpti_ActivityKernel11;
#elif CUPTI_API_VERSION >= 130000
using TheirKernel = CUpti_ActivityKernel10;
#else
using TheirKernel = CUpti_ActivityKernel9;
#endif

#if CUPTI_API_VERSION < 130400
using TheirMemset = CUpti_ActivityMemset4;
#if CUPTI_API_VERSION >= 26  // 12.8
using TheirMemcpy = CUpti_ActivityMemcpy6;
#else
using TheirMemcpy = CUpti_ActivityMemcpy5;
#endif
#endif

#if CUPTI_API_VERSION >= 26
using TheirSynchronization = CUpti_ActivitySynchronization2;
#else
using TheirSynchronization = CUpti_ActivitySynchronization;
#endif

#if CUPTI_API_VERSION >= 130500
using TheirEvent = CUpti_ActivityCudaEvent3;
#elif CUPTI_API_VERSION >= 26
using TheirEvent = CUpti_ActivityCudaEvent2;
#endif

}  // namespace stepscope::cupti

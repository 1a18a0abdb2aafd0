// SPDX-License-Identifier: Apache-2.0
// The two formats of numbers in 8 bits (fp8_code.hpp).
#pragma once

namespace stepscope::kernels {

enum class Fp8Format { e4m3, e5m2 };

}  // namespace stepscope::kernels

// SPDX-License-Identifier: Apache-2.0
// What stays of a kernel's name when a library picks another tile or architecture for the same
// work.
//
// Cut off: the return type, template arguments, parameters and namespaces; each run of digits
// becomes '#', so that "sm80_xmma_gemm_f32f32_tn_n_tilesize128x64x8" and its 128x128x8 brother are
// one family. Names that are no C++ signature go through the same cuts.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::compare_parts {

std::string kernel_family(std::string_view name);

}  // namespace stepscope::compare_parts

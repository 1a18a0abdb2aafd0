// SPDX-License-Identifier: Apache-2.0
// fuse_work: device operations of the scope that were issued one after another become one. It takes
// `factor` of their time; the host issues the first alone, and does nothing on the way to the
// others. With factor 0 they are kernels that only read and write memory: one takes as long as the
// longest of them.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void fuse_work(Edit& edit);

}  // namespace stepscope

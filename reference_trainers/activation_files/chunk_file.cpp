// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/chunk_file.hpp"

namespace stepscope::trainers {

std::string dataset_name(std::int64_t layer, std::int64_t side) {
  return "layer_" + std::to_string(layer) + (side == 0 ? "/inputs" : "/targets");
}

}  // namespace stepscope::trainers

// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/slurm_nodes.hpp"

namespace stepscope::trainers {

// Takes the first number of each bracket, up to the comma that ends the first host.
std::string first_slurm_host(std::string_view nodes) {
  std::string host;
  bool in_bracket = false, taken = false;
  for (const char c : nodes) {
    if (c == '[') {
      in_bracket = true, taken = false;
    } else if (c == ']') {
      in_bracket = false;
    } else if (in_bracket) {
      taken = taken || c == '-' || c == ',';
      if (!taken) host += c;
    } else if (c == ',') {
      break;
    } else {
      host += c;
    }
  }
  return host;
}

}  // namespace stepscope::trainers

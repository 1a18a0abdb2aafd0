// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/gate_commands.hpp"

namespace stepscope {

Result<Policy> GatePolicyOptions::read() const {
  Result<Policy> policy = file.empty() ? default_policy() : read_policy(file);
  if (policy && paired) policy->paired = true;
  return policy;
}

void add_gate_policy_options(CLI::App& verb, GatePolicyOptions& options) {
  verb.add_option("--policy", options.file,
                  "what is judged, and how strictly ('stepscope help gate')")
      ->type_name("FILE");
  verb.add_flag("--paired", options.paired,
                "the first baseline and the first candidate ran one after the other, and so on: "
                "cancels a host's drift, needs five a side");
}

}  // namespace stepscope

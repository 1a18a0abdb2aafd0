// SPDX-License-Identifier: Apache-2.0
// Options that say how strictly a gate judges: what `gate` and `gate run` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/gate/policy.hpp"

namespace stepscope {

struct GatePolicyOptions {
  std::string file;  // empty: the default policy
  bool paired = false;

  Result<Policy> read() const;
};

void add_gate_policy_options(CLI::App& verb, GatePolicyOptions& options);

}  // namespace stepscope

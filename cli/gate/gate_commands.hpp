// SPDX-License-Identifier: Apache-2.0
// What the verbs below `stepscope gate` do.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "core/gate/policy.hpp"

namespace stepscope {

// `stepscope gate run`: records both commands in turns, A B B A A B ..., and judges them. Where the
// host drifts, both sides drift with it.

// Below the gate verb; where collectors are built.
void add_gate_run_verb(CLI::App& gate, int& status);

// `stepscope gate history`: rises in a folder of stored results.

void add_gate_history_verb(CLI::App& gate, int& status);

// Options that say how strictly a gate judges: what `gate` and `gate run` share.

struct GatePolicyOptions {
  std::string file;  // empty: the default policy
  bool paired = false;

  Result<Policy> read() const;
};

void add_gate_policy_options(CLI::App& verb, GatePolicyOptions& options);

}  // namespace stepscope

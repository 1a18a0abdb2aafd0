// SPDX-License-Identifier: Apache-2.0
// `stepscope gate run`: records both commands in turns, A B B A A B ..., and judges them. Where the
// host drifts, both sides drift with it.
#pragma once

#include <CLI/CLI.hpp>

namespace stepscope {

// Below the gate verb; where collectors are built.
void add_gate_run_verb(CLI::App& gate, int& status);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// `stepscope gate history`: rises in a folder of stored results.
#pragma once

#include <CLI/CLI.hpp>

namespace stepscope {

void add_gate_history_verb(CLI::App& gate, int& status);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// The command line of the programs here: their own flags, and Google Benchmark's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::kernels {

struct BenchFlags {
  std::size_t repetitions = 0;
  std::string only;   // a case's name; empty: all
  bool once = false;  // each way once, and nothing timed

  bool wants(const std::string& name) const { return only.empty() || only == name; }
};

struct BenchHelp {
  std::string about;
  std::vector<std::string> cases;
};

// Sets `flags`, and what Google Benchmark keeps of its own. The exit status where the program ends
// here: 0 after --help, 2 after a message on stderr.
std::optional<int> read_flags(int argc, const char* const* argv, const BenchHelp& help,
                              BenchFlags* flags);

}  // namespace stepscope::kernels

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/verbs.hpp"

int main(int argc, char** argv) {
  return stepscope::run_cli(argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/interruption.hpp"

namespace stepscope {
namespace {

volatile std::sig_atomic_t interruption_came = 0;

void note_interruption(int) {
  interruption_came = 1;
}

}  // namespace

Interruption::Interruption() {
  interruption_came = 0;
  struct sigaction once {};
  once.sa_handler = note_interruption;
  once.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&once.sa_mask);
  sigaction(SIGINT, &once, &interrupt_);
  sigaction(SIGTERM, &once, &terminate_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interruption::came() {
  return interruption_came != 0;
}

}  // namespace stepscope

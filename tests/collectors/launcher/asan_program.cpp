// SPDX-License-Identifier: Apache-2.0
// Built with AddressSanitizer: the launcher must see that it cannot be preloaded into.
int main() {
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What each layer of device collection costs a step, from one run of
//   STEPSCOPE_WINDOW_LAYERS=1 stepscope profile --window 20/20 -o NAME -- COMMAND
// in whose recorded windows kernels alone, kernels with callbacks that do nothing, the light level,
// the whole, and the whole with the runtime's callbacks of all calls take turns.
//
//   window_layers NAME.scope ...
#include <cstdio>

#include "core/store/reader/reader.hpp"
#include "core/summary/trust/overhead.hpp"

namespace {

using namespace stepscope;

void print(const char* what, const std::optional<Overhead>& found) {
  if (!found) return (void)std::printf("  %-24s not enough windows\n", what);
  std::printf("  %-24s %.4f of the step without (95 %% within %.4f to %.4f, %zu windows)\n", what,
              found->ratio, found->low, found->high, found->pairs);
}

bool judge(const char* path) {
  Result<TraceData> data = read_scope(path);
  if (!data) return std::fprintf(stderr, "%s\n", data.error().message.c_str()), false;
  const Trace trace = Trace::build(std::move(*data));
  const Result<Steps> steps = find_steps(trace);
  if (!steps) return std::fprintf(stderr, "%s\n", steps.error().message.c_str()), false;
  std::printf("%s\n", path);
  print("kernels, copies, sets", measure_overhead(trace, *steps, 2));
  print("with empty callbacks", measure_overhead(trace, *steps, 4));
  print("light", measure_overhead(trace, *steps, 3));
  print("whole", measure_overhead(trace, *steps, 1));
  print("with runtime's callbacks", measure_overhead(trace, *steps, 5));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = judge(argv[i]) && good;
  return good ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "core/steps/compilation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope {
namespace {

// What the compilers of PyTorch and XLA, and autotuners, call their own work; the compiled code's
// ranges ("CompiledFxGraph") are not it.
constexpr std::array<std::string_view, 8> kCompileWords = {
    "compile_inner", "compile_fx", "call_user_compiler", "async_compile",
    "cudagraphify",  "XlaCompile", "backend_compile",    "utotun"};

std::vector<bool> compile_names(const Trace& trace) {
  std::vector<bool> out(trace.data().strings.size(), false);
  for (StringId name = 0; name < out.size(); ++name) {
    out[name] = std::any_of(kCompileWords.begin(), kCompileWords.end(), [&](std::string_view word) {
      return trace.text(name).find(word) != std::string_view::npos;
    });
  }
  return out;
}

}  // namespace

std::vector<RangeId> compilation_ranges(const Trace& trace, ProcessId process) {
  const HostRanges& h = trace.host_ranges();
  const auto is_own = [&](RangeId range) {
    return trace.data().threads[h.thread[range]].process == process;
  };
  std::vector<RangeId> out;
  const Calls& calls = trace.calls();
  for (CallId call = 0; call < calls.size(); ++call) {
    const RangeId range = calls.range[call];
    if (calls.api[call] == ApiKind::module_load && is_own(range)) out.push_back(range);
  }
  const std::vector<bool> names = compile_names(trace);
  if (std::find(names.begin(), names.end(), true) != names.end()) {
    for (RangeId i = 0; i < h.size(); ++i)
      if (names[h.name[i]] && is_own(i)) out.push_back(i);
  }
  return out;
}

IntervalSet compilation_times(const Trace& trace, ProcessId process) {
  const HostRanges& h = trace.host_ranges();
  std::vector<Interval> all;
  for (const RangeId range : compilation_ranges(trace, process))
    all.push_back({h.begin[range], h.end[range]});
  return unite(std::move(all));
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/findings/program_terms.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace stepscope::rules {
namespace {

bool has_suffix(std::string_view file, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [file](std::string_view suffix) { return file.ends_with(suffix); });
}

}  // namespace

Language language_of(const Trace& trace, ProcessId process) {
  const TraceData& data = trace.data();
  const auto& facts = data.processes[process].facts;
  bool is_cpp = data.source == SourceKind::stepscope && facts.count("command") != 0;
  if (facts.count("python") != 0) return Language::python;
  for (const Site& site : data.sites) {
    const std::string_view file = trace.text(site.file);
    if (has_suffix(file, {".py"})) return Language::python;
    is_cpp = is_cpp || has_suffix(file, {".cpp", ".cc", ".cxx", ".cu", ".hpp", ".h", ".cuh"});
  }
  return is_cpp ? Language::cpp : Language::python;
}

std::string_view device_module_of(const Trace& trace) {
  constexpr std::pair<std::string_view, std::string_view> kModules[] = {
      {"ur", "xpu"}, {"ze", "xpu"}, {"acl", "npu"}, {"musa", "musa"}, {"cnrt", "mlu"}};
  const Calls& calls = trace.calls();
  for (CallId call = 0; call < calls.size(); ++call) {
    const std::string_view name = trace.text(trace.host_ranges().name[calls.range[call]]);
    for (const auto& [prefix, module] : kModules)
      if (name.starts_with(prefix)) return module;
  }
  return "cuda";
}

std::string for_device(std::string hint, std::string_view module) {
  constexpr std::string_view kCuda = "cuda";
  if (module == kCuda) return hint;
  for (const std::string_view around : {"torch.cuda.", "'cuda'"}) {
    const std::size_t inside = around.find(kCuda);
    for (std::size_t at = hint.find(around); at != std::string::npos;
         at = hint.find(around, at + module.size()))
      hint.replace(at + inside, kCuda.size(), module);
  }
  return hint;
}

}  // namespace stepscope::rules

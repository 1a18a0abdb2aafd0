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

bool says(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// Python, by its name, or PyTorch, by its operations and kernels.
bool shows_python(const Trace& trace, ProcessId process) {
  const TraceData& data = trace.data();
  const Process& p = data.processes[process];
  const auto command = p.facts.find("command");
  if (says(p.name, "python") || trace.collected().framework_ops) return true;
  if (command != p.facts.end() && says(command->second, "python")) return true;
  const auto is_python = [](const Thread& thread) { return says(thread.name, "python"); };
  const auto is_torch = [&](StringId name) { return says(trace.text(name), "at::native"); };
  return std::any_of(data.threads.begin(), data.threads.end(), is_python) ||
         std::any_of(data.device_ops.name.begin(), data.device_ops.name.end(), is_torch);
}

// An export of Nsight Systems names the program, though not its language.
bool shows_another(const Trace& trace, ProcessId process) {
  const TraceData& data = trace.data();
  if (data.source == SourceKind::stepscope)
    return data.processes[process].facts.count("command") != 0;
  const auto is_named = [process](const Thread& thread) {
    return thread.process == process && !thread.name.empty();
  };
  const bool has_name = !data.processes[process].name.empty() ||
                        std::any_of(data.threads.begin(), data.threads.end(), is_named);
  return data.source == SourceKind::nsys && has_name && !shows_python(trace, process);
}

}  // namespace

Language language_of(const Trace& trace, ProcessId process) {
  const TraceData& data = trace.data();
  const auto& facts = data.processes[process].facts;
  bool is_cpp = shows_another(trace, process);
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
      {"ur", "xpu"},        {"ze", "xpu"},    {"acl", "npu"},
      {"AscendCL@", "npu"}, {"musa", "musa"}, {"cnrt", "mlu"}};
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

// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/document_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope::kineto {
namespace {

struct Writer {
  std::string_view begin;  // a category or a process name begins so
  std::string_view name;
};

constexpr std::string_view kBrowser = "a browser (chrome://tracing, DevTools, Lighthouse)";
constexpr std::string_view kXla = "the profiler of JAX or TensorFlow";

constexpr std::array kByCategory = {
    Writer{"devtools.timeline", kBrowser},
    Writer{"disabled-by-default-", kBrowser},
    Writer{"blink", kBrowser},
    Writer{"v8", kBrowser},
    Writer{"FEE", "VizTracer"},
    Writer{"fee", "VizTracer"},
    Writer{"py-spy", "py-spy"},
    Writer{"Node", "ONNX Runtime"},
    Writer{"Session", "ONNX Runtime"},
    Writer{"CudaRuntime", "PaddlePaddle"},
    Writer{"ProfileStep", "PaddlePaddle"},
    Writer{"Op", "TensorFlow's timeline"},
    Writer{"operator", "MXNet"},
    Writer{"task::", "Ray"},
};

constexpr std::array kByProcess = {
    Writer{"CrBrowserMain", kBrowser}, Writer{"GPU Process", kBrowser},
    Writer{"Renderer", kBrowser},      Writer{"/device:", kXla},
    Writer{"/host:CPU", kXla},         Writer{"/job:", kXla},
    Writer{"CPU HIP API", "rocprof"},  Writer{"CPU HSA API", "rocprof"},
};

template <class Writers>
std::string_view find_in(const Writers& writers, std::string_view text) {
  const auto found = std::find_if(writers.begin(), writers.end(), [text](const Writer& writer) {
    return text.starts_with(writer.begin);
  });
  return found == writers.end() ? std::string_view() : found->name;
}

std::string_view name_of_writer(const std::map<std::string, std::uint64_t>& categories,
                                const std::map<std::int64_t, std::string>& process_names) {
  for (const auto& [category, count] : categories)
    if (const std::string_view found = find_in(kByCategory, category); !found.empty()) return found;
  for (const auto& [pid, name] : process_names)
    if (const std::string_view found = find_in(kByProcess, name); !found.empty()) return found;
  return {};
}

}  // namespace

std::string writer_of(const std::map<std::string, std::uint64_t>& categories,
                      const std::map<std::int64_t, std::string>& process_names) {
  const std::string_view name = name_of_writer(categories, process_names);
  if (name.empty()) return "";
  if (name == kBrowser)
    return fmt::format("a trace of {}: it holds nothing of a training program", name);
  return fmt::format(
      "a trace of {}, which stepscope does not read: it reads what PyTorch's profiler wrote and "
      "exports of Nsight Systems, and records any program by itself: stepscope profile -- COMMAND",
      name);
}

}  // namespace stepscope::kineto

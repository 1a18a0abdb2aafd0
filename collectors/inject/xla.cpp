// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/startup.hpp"

#include <link.h>

#include <algorithm>

namespace stepscope::inject {
namespace {

constexpr std::string_view kXla[] = {"xla_cuda_plugin.so", "pjrt_c_api_gpu_plugin.so",
                                     "libxla_extension.so", "libReactantExtra.so"};
constexpr std::string_view kTensorFlow[] = {"libtensorflow_cc.so",
                                            "_pywrap_tensorflow_internal.so"};

struct Look {
  bool has_torch = false;
  bool found = false;
};

template <std::size_t size>
bool begins_with_one(std::string_view name, const std::string_view (&known)[size]) noexcept {
  return std::any_of(std::begin(known), std::end(known),
                     [&](std::string_view one) { return name.starts_with(one); });
}

std::string_view file_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

template <class Body>
int each_library(dl_phdr_info* info, std::size_t /*size*/, void* body) {
  if (info->dlpi_name != nullptr) (*static_cast<Body*>(body))(std::string_view(info->dlpi_name));
  return 0;
}

template <class Body>
void each_mapped(Body body) noexcept {
  dl_iterate_phdr(each_library<Body>, &body);
}

}  // namespace

bool is_xla(std::string_view path, bool has_torch) noexcept {
  const std::string_view name = file_of(path);
  return begins_with_one(name, kXla) || (!has_torch && begins_with_one(name, kTensorFlow));
}

bool has_xla() noexcept {
  Look look;
  each_mapped([&look](std::string_view path) {
    look.has_torch = look.has_torch || file_of(path) == "libtorch_cpu.so";
  });
  each_mapped(
      [&look](std::string_view path) { look.found = look.found || is_xla(path, look.has_torch); });
  return look.found;
}

}  // namespace stepscope::inject

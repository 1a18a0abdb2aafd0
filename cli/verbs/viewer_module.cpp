// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/viewer_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace stepscope {
namespace {

constexpr const char* kFile = "stepscope_viewer.so";

using Show = bool (*)(const viewer::Desk::Runs*, const viewer::ViewOptions*, Error*);

// Finds the module in the build tree, then where it may be installed.
std::filesystem::path module_path() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* where : {"../viewer/app", "../../viewer/app", "../lib", "../lib/stepscope"}) {
    std::filesystem::path path = folder / where / kFile;
    if (std::filesystem::exists(path, error)) return path;
  }
  return {};
}

struct Module {
  Show show;
};

Result<Module> load_module() {
  const std::filesystem::path path = module_path();
  if (path.empty())
    return Error{
        ErrorCode::unsupported,
        fmt::format("{} is not beside this stepscope: run it from its build folder, or install the "
                    "wheel or the .deb, which bring it. Without it, 'stepscope report RUN --format "
                    "html -o run.html' writes a page with a bar of every step",
                    kFile)};
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return Error{ErrorCode::unsupported, dlerror()};
  const auto show = reinterpret_cast<Show>(dlsym(module, "stepscope_viewer_show"));
  if (show == nullptr) return Error{ErrorCode::unsupported, dlerror()};
  return Module{show};
}

}  // namespace

Status viewer_is_ready() {
  const Result<Module> module = load_module();
  return module ? Status(Done{}) : Status(module.error());
}

Status show_in_viewer(const viewer::Desk::Runs& runs, const viewer::ViewOptions& options) {
  const Result<Module> module = load_module();
  if (!module) return module.error();
  Error error;
  return module->show(&runs, &options, &error) ? Status(Done{}) : Status(error);
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/viewer_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "cli/programs/module_path.hpp"

namespace stepscope {
namespace {

constexpr const char* kFile = "stepscope_viewer.so";

using Show = bool (*)(const viewer::Desk::Runs*, const viewer::ViewOptions*, Error*);

struct Module {
  Show show;
};

Result<Module> load_module() {
  const std::string path = module_path(kFile, "../viewer/app");
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/input/loaded_run.hpp"

#ifdef STEPSCOPE_HAS_PROFILE
#include <filesystem>

#include "collectors/launcher/message.hpp"
#include "collectors/recorder/draining/salvage.hpp"
#endif

namespace stepscope {

#ifdef STEPSCOPE_HAS_PROFILE

// quick: the folder live/ itself stays, since a launcher may still start processes that need it.
void recover_run(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path, error);
  if (error || !std::filesystem::is_directory(folder / "live", error)) return;
  const recorder::Salvage salvaged = recorder::salvage(folder.string(), {}, recorder::Depth::quick);
  for (const std::string& problem : salvaged.problems) launcher::say("{}", problem);
  if (salvaged.recovered > 0)
    launcher::say("{}: processes ended without a word ({}); their last records were recovered",
                  path, salvaged.recovered);
}

#else

void recover_run(const std::string& /*path*/) {}

#endif

}  // namespace stepscope

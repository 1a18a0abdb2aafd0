// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/importers/nsys/nsys.hpp"

namespace stepscope {

Result<TraceData> read_nsys(const std::filesystem::path& path, const Progress&, const MemoryRoom&) {
  if (is_nsys_report(path)) return nsys_report_error(path);
  return Error{ErrorCode::unsupported,
               fmt::format("{}: an SQLite file, and this build of stepscope cannot read those. "
                           "Configure it with -DSTEPSCOPE_WITH_SQLITE=ON (apt-get install "
                           "libsqlite3-dev)",
                           path.string())};
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/exporters/exported.hpp"

namespace stepscope {

Status write_sqlite(const Exported&, const ExportOptions&, const std::string&, const Progress&) {
  return Error{ErrorCode::unsupported,
               "--to sqlite: this build of stepscope cannot write SQLite files. Configure it with "
               "-DSTEPSCOPE_WITH_SQLITE=ON (apt-get install libsqlite3-dev), or export to csv"};
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// From a path to a database that is sound to read and an export of nsys.
#pragma once

#include "core/importers/nsys/database.hpp"

namespace stepscope::nsys {

// Messages come without the file's name. A gzip file is inflated into a temporary file that has no
// name any more once this returns.
Result<Database> open_export(const std::filesystem::path& path);

}  // namespace stepscope::nsys

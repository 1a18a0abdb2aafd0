// SPDX-License-Identifier: Apache-2.0
// run.json of a NAME.scope folder: what the launcher knows of the run (layout: FORMAT.md).
#pragma once

#include <filesystem>

#include "core/model/trace.hpp"
#include "core/support/result.hpp"

namespace stepscope::store {

// Adds its facts to every process that lacks them, and its notes. A run.json that is missing or
// damaged is only noted; one of a newer schema is an error (unsupported).
Status add_run_json(const std::filesystem::path& path, TraceData& data);

}  // namespace stepscope::store

// SPDX-License-Identifier: Apache-2.0
// The findings of a report's document. Internal to core/summary.
#pragma once

#include <optional>

#include "core/summary/document/document_field.hpp"
#include "core/summary/finding.hpp"

namespace stepscope {

// Nothing where nobody looked: a document in which nothing was found, cleared or left unjudged.
// What a reader has no use for stays empty: the fixes' edits, which name rows of the trace.
std::optional<Findings> read_findings(const Field& document);

}  // namespace stepscope

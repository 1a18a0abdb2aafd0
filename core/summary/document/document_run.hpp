// SPDX-License-Identifier: Apache-2.0
// Reads a report's document about the run itself: its facts, its devices' clocks, and how far it
// can be trusted. Internal to core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

RunFacts read_run(const Field& run);
DeviceHealth read_health(const Field& device);
// Reads the parts of trust that a reader of sums must know; documents without it are trusted.
void read_trust(const Field& document, Trust& out);

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
// What the JSON documents of a ladder, of its orders and of its sweep have in common. Internal to
// reports/json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/ladder/ladder.hpp"

namespace stepscope::ladder_fields {

using Json = nlohmann::ordered_json;

// Schema, tool, and what the runs were of.
Json head(const char* schema, const Ladder& ladder);
Json name(const RungName& rung);
Json estimate(const RepeatedMean& estimate);
Json rungs(const Ladder& ladder);
std::string written(const Json& document);

}  // namespace stepscope::ladder_fields

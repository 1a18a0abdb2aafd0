// SPDX-License-Identifier: Apache-2.0
// A trace's whole content as lines of text, ids resolved to what they name: two traces with equal
// dumps say the same, whatever their ids. Rows keep their order.
#pragma once

#include <string>

#include "core/model/trace.hpp"
#include "core/store/writer/batch.hpp"

namespace stepscope {

std::string dump(const TraceData& data);
std::string dump_facts(const TraceData& data);
std::string dump_events(const TraceData& data);

}  // namespace stepscope

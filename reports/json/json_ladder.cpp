// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include "reports/json/json_rows.hpp"

namespace stepscope {

std::string json_ladder(const Ladder& ladder) {
  ladder_fields::Json out = ladder_fields::head("stepscope.ladder/1", ladder);
  out["tokens_a_step"] = ladder.tokens_a_step;
  out["rungs"] = ladder_fields::rungs(ladder);
  out["notes"] = ladder.notes;
  return ladder_fields::written(out);
}

}  // namespace stepscope

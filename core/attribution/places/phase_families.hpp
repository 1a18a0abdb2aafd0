// SPDX-License-Identifier: Apache-2.0
// Names of ranges that differ in their numbers alone are one phase: a serving engine writes its
// batch size, or the id of a request (a hash, a UUID, an address), into the name of the range. They are parts of their own where most steps hold most of
// them: the layers of a model.
#pragma once

#include <string>
#include <unordered_map>

#include "core/steps/steps.hpp"

namespace stepscope {

class PhaseFamilies {
 public:
  PhaseFamilies(const Trace& trace, const Steps& steps);

  // Returns "generation_#(#)", where numbers that are the same in all names stay as they are, or the
  // name itself where it has no family.
  std::string name_of(StringId range_name) const;

 private:
  const Trace& trace_;
  std::unordered_map<StringId, std::string> family_of_;
};

}  // namespace stepscope

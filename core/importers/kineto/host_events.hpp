// SPDX-License-Identifier: Apache-2.0
// Host-side events (ops, annotations, Python functions, API calls, overhead) as rows of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "core/importers/kineto/category.hpp"
#include "core/importers/kineto/entities.hpp"

namespace stepscope::kineto {

class HostEvents {
 public:
  HostEvents(TraceData& data, FieldReader& fields, Entities& entities)
      : data_(data), fields_(fields), entities_(entities) {}

  // Times are those of the file; false where the event has none and cannot be placed.
  bool add(Category category, const Event& event);

 private:
  bool add_range(HostKind kind, const Event& event);
  void add_op(const Event& event);
  void add_call(const Event& event);
  SiteId python_site(StringId name);

  TraceData& data_;
  FieldReader& fields_;
  Entities& entities_;
  std::vector<SiteId> site_of_;  // by StringId; kUnparsed, kNone or a site
};

}  // namespace stepscope::kineto

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/exporters/exported.hpp"

namespace stepscope {

std::span<const Exporter> all_exporters() {
  static constexpr std::array kExporters = {
      Exporter{"perfetto", write_perfetto},
      Exporter{"sqlite", write_sqlite},
      Exporter{"csv", write_csv},
  };
  return kExporters;
}

}  // namespace stepscope

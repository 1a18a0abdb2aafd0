// SPDX-License-Identifier: Apache-2.0
// What an exporter is given, and the formats that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

struct Exported {
  const Trace& trace;
  const Steps& steps;
  const Attribution& attribution;
};

struct ExportOptions {
  std::string table;  // csv: which one
};

struct Exporter {
  std::string_view name;
  // Writes a new file. Errors: io (disk full), usage (options), unsupported (not in this build).
  Status (*write)(const Exported& run, const ExportOptions& options, const std::string& path,
                  const Progress& progress);
};

std::span<const Exporter> all_exporters();

Status write_perfetto(const Exported& run, const ExportOptions& options, const std::string& path,
                      const Progress& progress);
Status write_sqlite(const Exported& run, const ExportOptions& options, const std::string& path,
                    const Progress& progress);
Status write_csv(const Exported& run, const ExportOptions& options, const std::string& path,
                 const Progress& progress);

}  // namespace stepscope

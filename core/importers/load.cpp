// SPDX-License-Identifier: Apache-2.0
#include "core/importers/load.hpp"

#include <array>
#include <functional>
#include <new>
#include <string>

#include "core/importers/kineto/kineto.hpp"
#include "core/importers/nsys/nsys.hpp"
#include "core/importers/rounded_times.hpp"
#include "core/importers/trace_repairs.hpp"
#include "core/store/reader/reader.hpp"
#include "core/symbols/native_lines.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

struct Importer {
  bool (*recognises)(const fs::path& path);
  Result<TraceData> (*read)(const fs::path& path, const Progress& progress);
};

Result<TraceData> read_kineto_file(const fs::path& path, const Progress& progress) {
  Result<TraceData> data = read_kineto(path, progress);
  if (!data.ok()) return data;
  const Status holds = check_holds_events(*data);
  if (!holds.ok()) return bad_input(path.string() + ": " + holds.error().message);
  return data;
}

// The importers in order: the first that recognises a path reads it. Kineto takes every gzip file
// that is left.
constexpr std::array kImporters = {
    Importer{sniff_scope, read_scope},
    Importer{sniff_sst, read_sst},
    Importer{sniff_nsys, [](const fs::path& path,
                            const Progress& progress) { return read_nsys(path, progress); }},
    Importer{sniff_kineto, read_kineto_file},
};

Result<TraceData> read_any(const fs::path& path, const Progress& progress) {
  for (const Importer& importer : kImporters) {
    if (importer.recognises(path)) return importer.read(path, progress);
  }
  return bad_input(path.string() +
                   " is in no known format: give a .scope folder, an .sst file, a PyTorch profiler "
                   "(Kineto) .json or .json.gz, or what nsys export --type sqlite wrote");
}

// What every format needs behind its own reader.
Result<Trace> built(const fs::path& path, const std::function<Result<TraceData>()>& read) {
  try {
    Result<TraceData> data = read();
    if (!data.ok()) return data.error();
    add_native_lines(*data);
    add_sampled_programs(*data);
    const bool foreign = data->source != SourceKind::stepscope;
    if (foreign) mend_foreign_records(*data);
    if (const Status times = foreign ? check_rounded_times(*data) : Status(Done{}); !times.ok())
      return bad_input(path.string() + ": " + times.error().message);
    mend_stream_order(*data);
    return Trace::build(std::move(*data));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::unsupported,
                 path.string() +
                     " needs more memory than there is: record fewer "
                     "steps (--start-after, --steps), or use a larger machine"};
  }
}

}  // namespace

Result<Trace> load(const fs::path& path, const Progress& progress) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return io_error("cannot open " + path.string() + ": " +
                    (error ? error.message() : "no such file or folder" + hint_for_missing(path)));
  }
  if (std::optional<Error> not_a_run = no_run_error(path)) return std::move(*not_a_run);
  if (std::optional<Error> foreign = foreign_format_error(path)) return std::move(*foreign);
  return built(path, [&] { return read_any(path, progress); });
}

Result<Trace> load_files(const fs::path& folder, const std::vector<fs::path>& files,
                         const Progress& progress) {
  return built(folder, [&] { return read_scope_files(folder, files, progress); });
}

}  // namespace stepscope

// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/kineto.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/importers/byte_source.hpp"
#include "core/importers/kineto/trace_filler.hpp"

namespace stepscope {
namespace {

Error in_file(const std::filesystem::path& path, Error error) {
  error.message = fmt::format("{}: {}", path.string(), error.message);
  return error;
}

constexpr std::string_view kFirstKeys[] = {"\"schemaVersion\"", "\"traceEvents\""};

// Counts the keys that a trace has once.
bool holds_two_traces(const std::filesystem::path& path) {
  Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return false;
  std::array<std::size_t, std::size(kFirstKeys)> counts{};
  std::string text;
  for (std::string piece(1U << 16U, '\0');;) {
    const Result<std::size_t> got = (*source)->read(piece.data(), piece.size());
    if (!got.ok() || *got == 0) break;
    text.append(piece, 0, *got);
    const std::size_t whole = text.size() - std::min<std::size_t>(text.size(), 16);
    for (std::size_t key = 0; key < counts.size(); ++key) {
      for (std::size_t at = text.find(kFirstKeys[key]); at < whole;
           at = text.find(kFirstKeys[key], at + 1))
        ++counts[key];
    }
    text.erase(0, whole);
  }
  return *std::max_element(counts.begin(), counts.end()) > 1;
}

}  // namespace

Result<TraceData> read_kineto(const std::filesystem::path& path, const Progress& progress,
                              const KinetoOptions& options) {
  Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return in_file(path, source.error());
  kineto::TraceFiller filler;
  kineto::Window window(**source, options.window_bytes, progress);
  const Status status = kineto::read_document(
      **source, window, options.room, [&path] { return holds_two_traces(path); }, filler);
  if (!status.ok()) return in_file(path, status.error());
  if (options.counts != nullptr) *options.counts = filler.counts();
  TraceData data = filler.finish();
  const bool is_empty = data.host_ranges.size() == 0 && data.device_ops.size() == 0;
  const std::string& unread = filler.unread_device_work();
  if (const std::string writer = filler.writer(); !writer.empty() && (is_empty || !unread.empty()))
    return in_file(path, bad_input(writer));
  if (!unread.empty()) return in_file(path, bad_input(unread));
  data.path = path.string();
  return data;
}

Status check_holds_events(const TraceData& data) {
  if (data.host_ranges.size() > 0 || data.device_ops.size() > 0) return Done{};
  if (data.health.skipped_events == 0 && data.counters.size() + data.marks.size() > 0)
    return bad_input(fmt::format(
        "it holds {} counters and {} instants (memory, marks), and no operation, call or device "
        "work: record the run with ProfilerActivity.CPU, and CUDA where there is a GPU",
        data.counters.size(), data.marks.size()));
  if (data.health.skipped_events == 0)
    return bad_input(
        "no event of the program is in it: nothing ran while the profiler did, or only in threads "
        "that it does not watch (other than the one that started it)");
  return bad_input(fmt::format(
      "no event of PyTorch's profiler is in it ({}): a trace of another tool? stepscope "
      "reads what torch.profiler wrote, and records any program by itself: stepscope "
      "profile -- COMMAND",
      fmt::join(data.health.notes, "; ")));
}

bool sniff_kineto(const std::filesystem::path& path) {
  Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return false;
  const std::string name = path.filename().string();
  if (name.ends_with(".json") || name.ends_with(".json.gz") || (*source)->compressed()) return true;
  const Progress silent;
  kineto::Window window(**source, 4096, silent);
  if (const Result<bool> filled = window.more(); !filled.ok() || !*filled) return false;
  kineto::skip_byte_order_mark(window);
  kineto::JsonScanner scanner(window.begin(), window.end());
  return scanner.next_is('{') || scanner.next_is('[');
}

}  // namespace stepscope

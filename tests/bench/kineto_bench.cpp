// SPDX-License-Identifier: Apache-2.0
// How fast Kineto files load, and in how much memory: one real trace's events, repeated to the
// wanted size.
//
//   STEPSCOPE_BENCH_MB=500 STEPSCOPE_CORPUS=<folder> build/release/tests/bench/kineto_bench
//
// bytes_per_second is content (decompressed) over CPU time of the one thread. model_bytes is what
// the loaded columns take, peak_bytes the growth of the process's peak memory during the first
// load.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/importers/kineto/kineto.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::size_t wanted_bytes() {
  const char* const text = std::getenv("STEPSCOPE_BENCH_MB");
  return (text == nullptr ? 20 : std::strtoull(text, nullptr, 10)) * 1'000'000;
}

// The largest trace at hand: the more kinds of events, the better.
fs::path largest_trace() {
  const char* const folder = std::getenv("STEPSCOPE_CORPUS");
  fs::path best;
  for (const auto& entry :
       fs::directory_iterator(folder ? folder : STEPSCOPE_SOURCE_DIR "/tests/data/kineto")) {
    if (!entry.path().filename().string().ends_with(".json.gz")) continue;
    if (best.empty() || entry.file_size() > fs::file_size(best)) best = entry.path();
  }
  return best;
}

std::string content_of(const fs::path& path) {
  std::string out;
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string block(1U << 20U, '\0');
  for (int got = 0; (got = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    out.append(block, 0, static_cast<std::size_t>(got));
  }
  gzclose(file);
  return out;
}

// A trace of at least wanted_bytes(), as .json or .json.gz, removed at the end of the program.
class Sample {
 public:
  explicit Sample(bool compressed)
      : path_(fs::temp_directory_path() / ("stepscope_kineto_bench_" + std::to_string(::getpid()) +
                                           (compressed ? ".json.gz" : ".json"))) {
    const std::string text = content_of(largest_trace());
    const std::size_t begin = text.find('[', text.find("\"traceEvents\"")) + 1;
    const std::size_t end = text.rfind(']');
    const gzFile file =
        gzopen(path_.c_str(), compressed ? "wb6" : "wbT");  // T: no compression, no header
    write(file, text.substr(0, begin));
    const std::string events = text.substr(begin, end - begin);
    do {
      write(file, events);
      write(file, bytes_ < wanted_bytes() ? "," : "");
    } while (bytes_ < wanted_bytes());
    write(file, text.substr(end));
    gzclose(file);
  }
  ~Sample() { fs::remove(path_); }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const fs::path& path() const { return path_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void write(gzFile file, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      at += static_cast<std::size_t>(
          gzwrite(file, text.data() + at, static_cast<unsigned>(text.size() - at)));
    }
    bytes_ += text.size();
  }

  fs::path path_;
  std::size_t bytes_ = 0;
};

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

template <class T>
std::size_t bytes_of(const std::vector<T>& column) {
  return column.size() * sizeof(T);
}

double model_bytes(const TraceData& data) {
  const HostRanges& h = data.host_ranges;
  const DeviceOps& d = data.device_ops;
  const Calls& c = data.calls;
  const std::size_t host = h.size() * (2 * 8 + 6 * 4 + 1);
  const std::size_t device = d.size() * (4 * 8 + 5 * 4 + 4);
  return static_cast<double>(host + device + c.size() * (2 * 8 + 3 * 4 + 1) +
                             bytes_of(data.counters.time) * 3);
}

void load(benchmark::State& state, bool compressed) {
  static const Sample samples[] = {Sample(false), Sample(true)};
  const Sample& sample = samples[compressed ? 1 : 0];
  const double before = peak_bytes();
  double peak = 0;
  double model = 0;
  std::size_t events = 0;
  for (auto _ : state) {
    Result<TraceData> data = read_kineto(sample.path());
    if (!data.ok()) return state.SkipWithError(data.error().message.c_str());
    if (peak == 0) peak = peak_bytes() - before;
    model = model_bytes(*data);
    events = data->host_ranges.size() + data->device_ops.size() + data->marks.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(sample.bytes()) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["content_bytes"] = static_cast<double>(sample.bytes());
  state.counters["events"] = static_cast<double>(events);
  state.counters["model_bytes"] = model;
  state.counters["peak_bytes"] = peak;
}

BENCHMARK_CAPTURE(load, json, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, json_gz, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepscope

BENCHMARK_MAIN();

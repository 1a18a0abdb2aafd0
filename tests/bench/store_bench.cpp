// SPDX-License-Identifier: Apache-2.0
// What a store file costs: bytes an event, time to write and to load one, memory of the loaded
// trace.
//
// Traces: every .json.gz in the folder that STEPSCOPE_CORPUS names (real runs), all columns kept;
// where it is unset a synthetic launch-bound loop. Figures: items_per_second = events a second on
// one core, ns_an_event its inverse, file_bytes_an_event, ram_bytes_an_event. An event is a host
// range, device op, sync, counter or mark; a call is part of its host range.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <random>

#include "core/importers/load.hpp"
#include "core/store/reader/reader.hpp"
#include "core/store/save.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

fs::path scratch_file() {
  return fs::temp_directory_path() / ("stepscope-bench-" + std::to_string(getpid()) + ".sst");
}

void set_figures(benchmark::State& state, std::uint64_t events) {
  const auto all = state.iterations() * static_cast<std::int64_t>(events);
  state.SetItemsProcessed(all);
  state.counters["events"] = static_cast<double>(events);
  state.counters["ns_an_event"] = benchmark::Counter(
      static_cast<double>(all) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

double an_event(std::uint64_t total, std::uint64_t events) {
  return static_cast<double>(total) / static_cast<double>(std::max<std::uint64_t>(events, 1));
}

void die(const Error& error) {
  std::cerr << error.message << "\n";
  std::exit(1);
}

// The writer's own work: encoding, compression and write() to a file, batches ready in memory.
void write_batches(benchmark::State& state, const Trace& trace, SaveOptions options) {
  options.store.overwrite = true;
  const std::string path = scratch_file().string();
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Result<StoreWriter> store = StoreWriter::create(path, options.store);
    if (!store.ok()) die(store.error());
    std::vector<EventBatch> batches;
    const auto keep = [&batches](const EventBatch& batch) -> Status {
      return batches.push_back(batch), Done{};
    };
    if (Status s = for_each_batch(trace.data(), options.batch_rows, *store, keep); !s.ok())
      die(s.error());
    state.ResumeTiming();
    for (const EventBatch& batch : batches) {
      if (Status status = store->write(batch); !status.ok()) die(status.error());
    }
    if (Status status = store->close(ExitReason::returned, 0); !status.ok()) die(status.error());
    bytes = store->bytes_written();
  }
  set_figures(state, trace.event_count());
  state.counters["file_bytes_an_event"] = an_event(bytes, trace.event_count());
  fs::remove(path);
}

template <class T>
void reorder(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> out;
  for (std::uint32_t row : order) out.push_back(column[row]);
  column = std::move(out);
}

template <class... Columns>
void reorder_all(const std::vector<std::uint32_t>& order, Columns&... columns) {
  (reorder(columns, order), ...);
}

// The order in which a collector learns of events: host ranges of all threads by their end, device
// ops in buffers of 1000 that are unsorted inside.
void order_as_collected(TraceData& data) {
  HostRanges& h = data.host_ranges;
  std::vector<std::uint32_t> order(h.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&h](auto a, auto b) { return h.end[a] < h.end[b]; });
  std::vector<std::uint32_t> where(h.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) where[order[i]] = i;
  reorder_all(order, h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
              h.forward_thread);

  Calls& c = data.calls;
  for (RangeId& range : c.range) range = where[range];
  order.resize(c.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&c](auto a, auto b) { return c.range[a] < c.range[b]; });
  reorder_all(order, c.range, c.api, c.correlation, c.stream, c.event, c.bytes);

  DeviceOps& d = data.device_ops;
  order.resize(d.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(1);
  for (auto at = order.begin(); at != order.end();) {
    const auto end = at + std::min<std::ptrdiff_t>(1000, order.end() - at);
    std::shuffle(at, end, random);
    at = end;
  }
  reorder_all(order, d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph, d.graph_node,
              d.bytes, d.copy_kind, d.source_memory, d.target_memory, d.launch_config);
}

// The same events in the order of a collector: what sort() costs before each write, and what it
// saves.
void write_sorted(benchmark::State& state, const Trace& trace) {
  const std::string path = scratch_file().string();
  if (Status s = save(trace, path, {.store = {.overwrite = true}}); !s.ok()) die(s.error());
  Result<TraceData> data = read_sst(path);
  if (!data.ok()) die(data.error());
  order_as_collected(*data);
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Result<StoreWriter> store = StoreWriter::create(path, {.overwrite = true});
    if (!store.ok()) die(store.error());
    std::vector<EventBatch> batches;
    const auto keep = [&batches](const EventBatch& batch) -> Status {
      return batches.push_back(batch), Done{};
    };
    if (Status s = for_each_batch(*data, 16384, *store, keep); !s.ok()) die(s.error());
    state.ResumeTiming();
    for (EventBatch& batch : batches) {
      sort(batch);
      if (Status status = store->write(batch); !status.ok()) die(status.error());
    }
    bytes = store->bytes_written();
  }
  set_figures(state, trace.event_count());
  state.counters["file_bytes_an_event"] = an_event(bytes, trace.event_count());
  fs::remove(path);
}

std::uint64_t save_as_collected(const Trace& trace, const std::string& path) {
  if (Status s = save(trace, path, {.store = {.overwrite = true}}); !s.ok()) die(s.error());
  Result<TraceData> data = read_sst(path);
  if (!data.ok()) die(data.error());
  order_as_collected(*data);
  Result<StoreWriter> store = StoreWriter::create(path, {.overwrite = true});
  if (!store.ok()) die(store.error());
  const auto sink = [&store](const EventBatch& batch) { return store->write(batch); };
  if (Status s = for_each_batch(*data, 16384, *store, sink); !s.ok()) die(s.error());
  return store->bytes_written();
}

enum class Order { sorted, as_collected };

void load_file(benchmark::State& state, const Trace& trace, bool build, Order order) {
  const std::string path = scratch_file().string();
  if (order == Order::as_collected) {
    state.counters["file_bytes_an_event"] =
        an_event(save_as_collected(trace, path), trace.event_count());
  } else if (Status s = save(trace, path, {.store = {.overwrite = true}, .batch_rows = 16384});
             !s.ok()) {
    die(s.error());
  }
  std::uint64_t ram = 0;
  for (auto _ : state) {
    Result<TraceData> data = read_sst(path);
    if (!data.ok()) die(data.error());
    if (!build) continue;
    const Trace loaded = Trace::build(std::move(*data));
    ram = loaded.memory_bytes();
    if (loaded.event_count() != trace.event_count()) die(bad_input("events were lost"));
  }
  set_figures(state, trace.event_count());
  if (build) state.counters["ram_bytes_an_event"] = an_event(ram, trace.event_count());
  fs::remove(path);
}

// A million launches of a loop of 1500 ops, on one thread and one stream: 3.1 M events, beyond any
// cache.
TraceData synthetic() {
  TraceData data;
  data.processes.push_back({.pid = 1});
  data.threads.push_back({.tid = 1});
  data.streams.push_back({});
  std::mt19937_64 random(1);
  const auto jitter = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  HostRanges& h = data.host_ranges;
  DeviceOps& d = data.device_ops;
  const auto range = [&](HostKind kind, const std::string& name, std::int64_t begin,
                         std::int64_t end) {
    h.begin.push_back(begin), h.end.push_back(end), h.name.push_back(data.strings.intern(name));
    h.thread.push_back(0), h.kind.push_back(kind), h.category.push_back(0), h.site.push_back(kNone);
    h.sequence.push_back(kNoSequence), h.forward_thread.push_back(kNone);
  };
  std::int64_t host = 1'700'000'000'000'000'000;
  std::int64_t device = host;
  for (std::uint32_t i = 1; i <= (1U << 20U); ++i) {
    const std::uint32_t op = i % 1500;
    const std::int64_t length = 5000 + op * 7 + jitter(900);
    range(HostKind::op, "aten::op_" + std::to_string(op % 61), host, host + length);
    range(HostKind::runtime_call, "cudaLaunchKernel", host + 1500 + jitter(400),
          host + 4500 + jitter(400));
    Calls& c = data.calls;
    c.range.push_back(static_cast<RangeId>(h.size() - 1)), c.api.push_back(ApiKind::launch_kernel);
    c.correlation.push_back(i), c.stream.push_back(0), c.event.push_back(0),
        c.bytes.push_back(kUnknownBytes);
    device = std::max(device + 1000 + jitter(300), host + 6000);
    d.begin.push_back(device), d.end.push_back(device += 2000 + op * 11 + jitter(200));
    d.name.push_back(data.strings.intern("kernel_" + std::to_string(op % 97)));
    d.kind.push_back(DeviceOpKind::kernel), d.stream.push_back(0), d.correlation.push_back(i);
    d.graph.push_back(0), d.graph_node.push_back(0), d.bytes.push_back(kUnknownBytes);
    d.copy_kind.push_back(CopyKind::none), d.source_memory.push_back(MemoryKind::unknown);
    d.target_memory.push_back(MemoryKind::unknown), d.launch_config.push_back(kNone);
    host += length + jitter(700);
  }
  return data;
}

void add_benchmarks(const std::string& name, const Trace& trace) {
  const auto add = [](const std::string& full_name, auto body) {
    benchmark::RegisterBenchmark(full_name.c_str(), body)->Unit(benchmark::kMillisecond);
  };
  for (std::size_t rows : {std::size_t{2048}, std::size_t{16384}}) {
    add("write/rows:" + std::to_string(rows) + "/" + name,
        [trace, rows](benchmark::State& s) { write_batches(s, trace, {.batch_rows = rows}); });
  }
  add("write/zstd-1/" + name, [trace](benchmark::State& s) {
    write_batches(s, trace, {.store = {.zstd_level = 1}, .batch_rows = 16384});
  });
  add("write/plain/" + name, [trace](benchmark::State& s) {
    write_batches(s, trace, {.store = {.codec = Codec::none}, .batch_rows = 16384});
  });
  add("write/sort_first/" + name, [trace](benchmark::State& s) { write_sorted(s, trace); });
  add("read/" + name, [trace](benchmark::State& s) { load_file(s, trace, false, Order::sorted); });
  add("load/" + name, [trace](benchmark::State& s) { load_file(s, trace, true, Order::sorted); });
  add("load/as_collected/" + name,
      [trace](benchmark::State& s) { load_file(s, trace, true, Order::as_collected); });
}

void add_corpus(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const Result<Trace> trace = load(file);
    if (!trace.ok()) die(trace.error());
    add_benchmarks(file.filename().stem().stem().string(), *trace);
  }
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const char* corpus = std::getenv("STEPSCOPE_CORPUS");
  if (corpus != nullptr) {
    stepscope::add_corpus(corpus);
  } else {
    stepscope::add_benchmarks("synthetic", stepscope::Trace::build(stepscope::synthetic()));
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

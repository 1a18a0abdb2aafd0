// SPDX-License-Identifier: Apache-2.0
// A whole frame of the viewer, queries and drawing, without a display: 64 streams of kernels while
// the view zooms in and moves. Arguments: events of all lanes, height of the window, 1 while it
// moves. Counters: the CPU time of a frame that half, and that 99 of 100 frames do not pass,
// rectangles a frame, and how many events a pixel of a lane held in the 5 slowest frames: least and
// most.
#include <benchmark/benchmark.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "tests/core/model/trace_maker.hpp"
#include "viewer/ui/screen.hpp"

namespace {

using namespace stepscope;

constexpr int kStreams = 64;
constexpr float kWidth = 1920;
constexpr double kLaneWidth = 1310;  // without the lanes' names and the details

double frame_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Frame {
  double ms;
  double events_per_pixel;
};

// Log-normal lengths, as of kernels; a pause of 2 ms after each 997 events.
std::shared_ptr<const viewer::Run> make_run(std::int64_t events) {
  TraceMaker make;
  const char* const names[] = {"sgemm", "softmax", "add", "copy_kernel"};
  for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
    std::mt19937 random(stream);
    std::lognormal_distribution<double> length(8.5, 1.2);
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < events / kStreams; ++i) {
      const auto ns = static_cast<std::int64_t>(length(random));
      make.kernel(names[i % 4], stream, at, at + ns, 0);
      at += ns + (i % 997 == 996 ? 2'000'000 : 1'000);
    }
  }
  viewer::Run run = viewer::glance(make.build());
  run.is_analysed = true;
  run.steps.found_by = FoundBy::whole_trace;
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op)
    run.op_classes[op] = op % 2 == 0 ? Cause::gpu_gemm : Cause::gpu_elementwise;
  run.summary.steps = run.steps;
  return std::make_shared<const viewer::Run>(std::move(run));
}

void draw_frames(benchmark::State& state) {
  viewer::Desk desk({make_run(state.range(0))});
  viewer::Screen screen(desk, 1);
  screen.moves = state.range(2) == 1;
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  // As the backend of OpenGL 3 does: more than 65,536 corners a list.
  ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  desk.open();
  const ImVec2 size = {kWidth, static_cast<float>(state.range(1))};
  viewer::Viewport& view = desk.active().viewport();
  const Interval whole = view.whole();
  std::vector<Frame> frames;
  double rectangles = 0;
  int turn = 0;
  for (auto _ : state) {
    const double share = std::pow(0.9, turn % 120);  // from all of it to 3 millionths
    const auto span = static_cast<std::int64_t>(static_cast<double>(whole.length()) * share) + 1;
    const std::int64_t from = whole.begin + (whole.length() - span) / 7 * (turn % 8);
    const double begin = frame_cpu_ms();
    view.show({from, from + span});
    ImGui::GetIO().DisplaySize = size;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    viewer::draw(screen, size);
    ImGui::Render();
    frames.push_back({frame_cpu_ms() - begin,
                      share * static_cast<double>(state.range(0)) / (kStreams * kLaneWidth)});
    rectangles += static_cast<double>(screen.rectangles);
    ++turn;
  }
  ImGui::DestroyContext();
  const auto slower = [](const Frame& a, const Frame& b) { return a.ms > b.ms; };
  std::sort(frames.begin(), frames.end(), slower);
  state.counters["p50_ms"] = frames[frames.size() / 2].ms;
  state.counters["p99_ms"] = frames[frames.size() / 100].ms;
  const auto [least, most] = std::minmax_element(
      frames.begin(), frames.begin() + 5,
      [](const Frame& a, const Frame& b) { return a.events_per_pixel < b.events_per_pixel; });
  state.counters["slow_from"] = least->events_per_pixel;
  state.counters["slow_to"] = most->events_per_pixel;
  state.counters["rectangles"] = rectangles / static_cast<double>(frames.size());
}

BENCHMARK(draw_frames)
    ->Args({100'000, 1080, 1})
    ->Args({1'000'000, 1080, 1})
    ->Args({10'000'000, 1080, 1})
    ->Args({10'000'000, 1080, 0})
    ->Args({10'000'000, 2400, 1})  // every lane is on screen
    ->Iterations(480)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

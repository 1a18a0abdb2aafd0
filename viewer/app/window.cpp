// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/window.hpp"

#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <imgui.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "backends/imgui_impl_glfw.h"
#include "backends/imgui_impl_opengl3.h"
#include "viewer/app/analysis.hpp"
#include "viewer/app/app.hpp"
#include "viewer/imgui_compat.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

// ImGui needs a frame after the input's own to settle hovers and sizes.
constexpr int kFramesAfterInput = 3;
// Seconds: the cursor of a text field blinks, and what moved is drawn exactly.
constexpr double kLongestWait = 0.3;

Error no_window(const char* what) {
  return {ErrorCode::unsupported,
          std::string(what) +
              "; without a display, take a picture (--screenshot out.png, drawn by EGL) or run it "
              "under a virtual one: xvfb-run stepscope view ..."};
}

struct Terminate {
  ~Terminate() { glfwTerminate(); }
};
struct DestroyWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using Window = std::unique_ptr<GLFWwindow, DestroyWindow>;

struct Backends {
  explicit Backends(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ok = ImGui_ImplOpenGL3_Init("#version 330");
  }
  ~Backends() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  Backends(const Backends&) = delete;
  Backends& operator=(const Backends&) = delete;
  bool ok = false;
};

Window make_window(const ViewOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  return Window(glfwCreateWindow(options.width, options.height, "stepscope", nullptr, nullptr));
}

void frame(Screen& screen, GLFWwindow* window) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  draw(screen, ImGui::GetIO().DisplaySize);
  ImGui::Render();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  reinterpret_cast<decltype(&glViewport)>(glfwGetProcAddress("glViewport"))(0, 0, width, height);
  reinterpret_cast<decltype(&glClear)>(glfwGetProcAddress("glClear"))(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
}

// The user asked for larger or smaller text.
void follow_text_size(Screen& screen, Gui& gui, float display_scale) {
  const float wanted = display_scale * screen.desk.text_scale;
  if (wanted == screen.scale) return;
  screen.scale = wanted;
  gui.set_scale(wanted);
  apply_style(screen.theme, wanted);
  renew_font_texture();
}

// Fills in what was found out since the last frame. The table of the command line is opened as soon
// as it is there, once.
Status fill_in(Screen& screen, Analysis& analysis, const ViewOptions& options,
               std::string& wanted_tab) {
  const auto taken = analysis.take(screen.desk);
  if (!taken) return taken.error();
  if (taken->runs) apply_search(screen.desk, options);
  if (!taken->runs && !taken->findings) return Done{};
  const Status known = check_tab(screen.desk, wanted_tab);
  if (known) screen.tab = std::exchange(wanted_tab, "");
  return known || !taken->findings ? Done{} : known;
}

Status loop(Screen& screen, Gui& gui, GLFWwindow* window, Analysis& analysis,
            const ViewOptions& options) {
  const float display_scale = screen.scale;
  int left = options.close_after_frames;
  std::string wanted_tab = options.tab;
  for (int drawn = 1; glfwWindowShouldClose(window) == 0 && !screen.desk.quit_wanted; ++drawn) {
    if (Status filled = fill_in(screen, analysis, options, wanted_tab); !filled) return filled;
    if (options.close_after_frames > 0 && analysis.is_done() && left-- == 0) return Done{};
    if (drawn > kFramesAfterInput) glfwWaitEventsTimeout(kLongestWait);
    for (int i = 0; i < kFramesAfterInput; ++i) {
      follow_text_size(screen, gui, display_scale);
      frame(screen, window);
      glfwPollEvents();
    }
  }
  return Done{};
}

}  // namespace

Status run_window(Desk& desk, const Desk::Runs& runs, const ViewOptions& options,
                  const std::string& state_folder) {
  if (glfwInit() == 0) return no_window("no display to open a window on");
  const Terminate terminate;
  const Window window = make_window(options);
  if (!window) return no_window("this display gives no window with OpenGL 3.3");
  glfwMakeContextCurrent(window.get());
  float by_display = 1;
  glfwGetWindowContentScale(window.get(), &by_display, nullptr);
  const auto scale = static_cast<float>(options.scale.value_or(static_cast<double>(by_display)));
  Gui gui(scale);
  const Backends backends(window.get());
  if (!backends.ok) return no_window("this display gives no OpenGL 3.3");
  Screen screen(desk, scale);
  screen.tab = options.tab;
  screen.moves = true;
  screen.theme = make_theme(desk.light);
  apply_style(screen.theme, scale);
  Analysis analysis(runs, {.desk = {.anyway = options.anyway},
                           .state_folder = state_folder,
                           .wake = [] { glfwPostEmptyEvent(); }});
  Status shown = loop(screen, gui, window.get(), analysis, options);
  glfwHideWindow(window.get());  // the part of the analysis at work may take a while to end
  return shown;
}

namespace {

constexpr float kFontSize = 14;

// Latin, Greek, Cyrillic, and the marks that names and sentences use.
constexpr std::array<ImWchar, 11> kGlyphs = {0x20,   0x24f,  0x370,  0x52f,  0x2010, 0x2044,
                                             0x2190, 0x21ff, 0x2200, 0x22ff, 0};

// Packages carry the font beside the module that this code is linked into.
std::string font_beside_module() {
  Dl_info module;
  if (dladdr(reinterpret_cast<const void*>(&font_beside_module), &module) == 0) return {};
  return std::filesystem::path(module.dli_fname).replace_filename("DejaVuSans.ttf");
}

// DejaVu Sans; without it ImGui's own bitmap font, which has no accents.
void add_font(float scale) {
  const std::array<std::string, 4> paths = {
      font_beside_module(), "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf"};
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    fonts.AddFontFromFileTTF(path.c_str(), kFontSize * scale, nullptr, kGlyphs.data());
    return;
  }
  ImFontConfig config;
  config.SizePixels = 13 * scale;
  fonts.AddFontDefault(&config);
}

}  // namespace

Gui::Gui(float scale) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  add_font(scale);
}

void Gui::set_scale(float scale) {
  ImGui::GetIO().Fonts->Clear();
  add_font(scale);
}

Gui::~Gui() {
  ImGui::DestroyContext();
}

}  // namespace stepscope::viewer

// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/window.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <imgui.h>

#include <algorithm>

#include "backends/imgui_impl_opengl3.h"
#include "core/support/dynamic_library.hpp"

namespace stepscope::viewer {
namespace {

using AnyFunction = void (*)();

class Library {
 public:
  Library() : egl_("libEGL.so.1", RTLD_NOW | RTLD_LOCAL) {
    // Dear ImGui 1.92 keeps functions of this one beyond a picture, and closes it.
    const DynamicLibrary kept("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    get_ = find<decltype(&eglGetProcAddress)>("eglGetProcAddress");
  }
  bool ok() const { return get_ != nullptr; }

  template <class Function>
  Function find(const char* name) const {
    if (const auto function = egl_.find<Function>(name)) return function;
    return reinterpret_cast<Function>(get_ != nullptr ? get_(name) : nullptr);
  }

 private:
  DynamicLibrary egl_;
  decltype(&eglGetProcAddress) get_ = nullptr;
};

Error no_gl(const char* what) {
  return {ErrorCode::unsupported,
          std::string("--screenshot draws with OpenGL 3.3 by EGL, and ") + what +
              "; on Debian: apt-get install libegl1 libgl1 libgl1-mesa-dri. "
              "'stepscope report RUN --format html -o run.html' needs none "
              "of it"};
}

// A current context; released at the end.
class Context {
 public:
  explicit Context(const Library& egl) : egl_(egl) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (display_ == EGL_NO_DISPLAY) return;
    egl_.find<decltype(&eglMakeCurrent)>("eglMakeCurrent")(display_, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                                           EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT)
      egl_.find<decltype(&eglDestroyContext)>("eglDestroyContext")(display_, context_);
    egl_.find<decltype(&eglTerminate)>("eglTerminate")(display_);
  }

  Status open() {
    const auto get_display = egl_.find<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (get_display == nullptr) return no_gl("this EGL has no platforms");
    display_ = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display_ == EGL_NO_DISPLAY ||
        egl_.find<decltype(&eglInitialize)>("eglInitialize")(display_, nullptr, nullptr) == 0)
      return no_gl("Mesa's surfaceless display is not there");
    egl_.find<decltype(&eglBindAPI)>("eglBindAPI")(EGL_OPENGL_API);
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    context_ = egl_.find<decltype(&eglCreateContext)>("eglCreateContext")(
        display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (context_ == EGL_NO_CONTEXT || egl_.find<decltype(&eglMakeCurrent)>("eglMakeCurrent")(
                                          display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == 0)
      return no_gl("it gives no OpenGL 3.3");
    return Done{};
  }

 private:
  const Library& egl_;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// Makes a frame buffer of that size and binds it; it goes with the context.
bool bind_frame_buffer(const Library& gl, int width, int height) {
  GLuint buffer = 0;
  GLuint colour = 0;
  gl.find<PFNGLGENRENDERBUFFERSPROC>("glGenRenderbuffers")(1, &colour);
  gl.find<PFNGLBINDRENDERBUFFERPROC>("glBindRenderbuffer")(GL_RENDERBUFFER, colour);
  gl.find<PFNGLRENDERBUFFERSTORAGEPROC>("glRenderbufferStorage")(GL_RENDERBUFFER, GL_RGBA8, width,
                                                                 height);
  gl.find<PFNGLGENFRAMEBUFFERSPROC>("glGenFramebuffers")(1, &buffer);
  gl.find<PFNGLBINDFRAMEBUFFERPROC>("glBindFramebuffer")(GL_FRAMEBUFFER, buffer);
  gl.find<PFNGLFRAMEBUFFERRENDERBUFFERPROC>("glFramebufferRenderbuffer")(
      GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
  return gl.find<PFNGLCHECKFRAMEBUFFERSTATUSPROC>("glCheckFramebufferStatus")(GL_FRAMEBUFFER) ==
         GL_FRAMEBUFFER_COMPLETE;
}

// OpenGL's rows begin at the bottom.
Image read_back(const Library& gl, int width, int height) {
  Image image{width, height, {}};
  const std::size_t line = std::size_t{3} * static_cast<std::size_t>(width);
  std::vector<std::uint8_t> pixels(line * static_cast<std::size_t>(height));
  gl.find<decltype(&glPixelStorei)>("glPixelStorei")(GL_PACK_ALIGNMENT, 1);
  gl.find<decltype(&glReadPixels)>("glReadPixels")(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE,
                                                   pixels.data());
  image.rgb.reserve(pixels.size());
  for (auto row = static_cast<std::ptrdiff_t>(height); row-- > 0;) {
    const auto from = pixels.begin() + row * static_cast<std::ptrdiff_t>(line);
    image.rgb.insert(image.rgb.end(), from, from + static_cast<std::ptrdiff_t>(line));
  }
  return image;
}

}  // namespace

Result<Image> draw_offscreen(int width, int height, int frames, const std::function<void()>& draw) {
  const Library egl;
  if (!egl.ok()) return no_gl("libEGL.so.1 is not there");
  Context context(egl);
  if (const Status opened = context.open(); !opened) return opened.error();
  if (!bind_frame_buffer(egl, width, height)) return no_gl("a picture of this size is too large");
  if (!ImGui_ImplOpenGL3_Init("#version 330")) return no_gl("Dear ImGui could not use it");
  for (int frame = 0; frame < frames; ++frame) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    draw();
    ImGui::Render();
    egl.find<decltype(&glViewport)>("glViewport")(0, 0, width, height);
    egl.find<decltype(&glClear)>("glClear")(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
  Image image = read_back(egl, width, height);
  ImGui_ImplOpenGL3_Shutdown();
  return image;
}

}  // namespace stepscope::viewer

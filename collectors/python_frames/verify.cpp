// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/interpreter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "collectors/python_frames/line_table.hpp"

namespace stepscope::python {
namespace {

constexpr int kMaxFrames = 64;
constexpr std::size_t kMaxText = 1 << 16, kMaxTable = 1 << 24;

// Loads that fail instead of faulting.
class CheckedMemory {
 public:
  CheckedMemory() noexcept { open_ = pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) == 0; }
  ~CheckedMemory() {
    if (open_) close(pipe_[0]), close(pipe_[1]);
  }
  CheckedMemory(const CheckedMemory&) = delete;
  CheckedMemory& operator=(const CheckedMemory&) = delete;

  template <typename T>
  bool load(Object base, std::uint32_t offset, T& value) const noexcept {
    static_assert(sizeof(T) <= 8);
    if (!open_ || base == nullptr) return false;
    if (write(pipe_[1], base + offset, sizeof value) != static_cast<ssize_t>(sizeof value))
      return false;
    return read(pipe_[0], &value, sizeof value) == static_cast<ssize_t>(sizeof value);
  }
  bool readable(Object base, std::size_t size) const noexcept {
    char ignored = 0;
    constexpr std::size_t kPage = 4096;
    for (std::size_t at = 0; at < size; at += kPage) {
      if (!load(base + at, 0, ignored)) return false;
    }
    return size == 0 || load(base + size - 1, 0, ignored);
  }

 private:
  int pipe_[2] = {-1, -1};
  bool open_ = false;
};

class Checker {
 public:
  explicit Checker(const Interpreter& python) noexcept : python_(python), layout_(python.layout) {}

  Verdict chain(Object thread) const noexcept {
    Object in_interpreter = nullptr, frame = nullptr;
    if (!memory_.load(thread, layout_.thread_interpreter, in_interpreter)) return Verdict::differs;
    if (in_interpreter != python_.main_interpreter())
      return Verdict::no_frames;  // a sub-interpreter's
    if (!memory_.load(thread, layout_.thread_frame, frame)) return Verdict::differs;
    if (layout_.holder_frame >= 0 &&
        !memory_.load(frame, static_cast<std::uint32_t>(layout_.holder_frame), frame)) {
      return Verdict::differs;
    }
    int with_code = 0;
    for (int depth = 0; frame != nullptr && depth < kMaxFrames; ++depth) {
      char owner = 0;
      if (!memory_.load(frame, layout_.frame_owner, owner)) return Verdict::differs;
      if (owner != kShimOwner && ++with_code > 0 && !has_sound_code(frame)) return Verdict::differs;
      if (!memory_.load(frame, layout_.frame_previous, frame)) return Verdict::differs;
    }
    return with_code == 0 ? Verdict::no_frames : Verdict::fits;
  }

 private:
  bool has_type(Object object, Object type) const noexcept {
    Object found = nullptr;
    return memory_.load(object, layout_.object_type, found) && found == type;
  }

  bool is_text(Object code, std::uint32_t offset) const noexcept {
    Object text = nullptr;
    std::size_t length = 0;
    std::uint32_t flags = 0;
    if (!memory_.load(code, offset, text) || !has_type(text, python_.text_type)) return false;
    if (!memory_.load(text, layout_.text_length, length) || length > kMaxText) return false;
    if (!memory_.load(text, layout_.text_state, flags)) return false;
    const std::uint32_t kind = flags >> 2 & 7;
    const bool ascii = (flags >> 6 & 1) != 0;
    return (kind == 1 || kind == 2 || kind == 4) &&
           memory_.readable(text + (ascii ? layout_.text_ascii_data : layout_.text_wide_data),
                            length * kind);
  }

  bool is_table(Object code, std::uint32_t offset) const noexcept {
    Object bytes = nullptr;
    std::size_t size = 0;
    return memory_.load(code, offset, bytes) && has_type(bytes, python_.bytes_type) &&
           memory_.load(bytes, layout_.sequence_size, size) && size <= kMaxTable &&
           memory_.readable(bytes + layout_.bytes_data, size);
  }

  bool count_units(Object code, std::size_t& units) const noexcept {
    if (layout_.instruction_step == 0) return memory_.load(code, layout_.sequence_size, units);
    Object bytes = nullptr;
    if (!memory_.load(code, layout_.code_bytes, bytes) || !has_type(bytes, python_.bytes_type) ||
        !memory_.load(bytes, layout_.sequence_size, units))
      return false;
    units /= 2;
    return true;
  }

  // Reads the position of the frame's instruction, in bytes; a little below 0 where the frame has
  // not begun.
  bool distance_into(Object frame, Object code, std::ptrdiff_t& distance) const noexcept {
    if (layout_.instruction_step != 0) {
      int index = 0;
      if (!memory_.load(frame, layout_.frame_instruction, index)) return false;
      distance = static_cast<std::ptrdiff_t>(index) * layout_.instruction_step;
      return true;
    }
    Object instruction = nullptr;
    if (!memory_.load(frame, layout_.frame_instruction, instruction)) return false;
    distance = instruction - (code + layout_.code_bytes);
    return true;
  }

  bool has_sound_code(Object frame) const noexcept {
    Object code = nullptr;
    std::size_t units = 0;
    std::ptrdiff_t distance = 0;
    int first_line = -1;
    if (!memory_.load(frame, layout_.frame_code, code)) return false;
    code = without_marks(code);
    if (!has_type(code, python_.code_type)) return false;
    if (!is_text(code, layout_.code_file) || !is_text(code, layout_.code_name)) return false;
    if (!is_table(code, layout_.code_lines)) return false;
    if (layout_.code_handlers != 0 && !is_table(code, layout_.code_handlers)) return false;
    if (!count_units(code, units)) return false;
    if (!memory_.load(code, layout_.code_first_line, first_line) || first_line < 0) return false;
    if (!distance_into(frame, code, distance)) return false;
    if (distance < -2 || distance >= 2 * static_cast<std::ptrdiff_t>(units)) return false;
    return line_of(layout_, code, unit_of(layout_, frame, code)) != kBadTable;
  }

  const Interpreter& python_;
  const Layout& layout_;
  CheckedMemory memory_;
};

bool same_line(const Interpreter& python, Object frame, Object code) noexcept {
  const std::size_t unit = unit_of(python.layout, frame, code);
  return line_of(python.layout, code, unit) == python.code_line(code, static_cast<int>(2 * unit));
}

}  // namespace

Verdict check_structure(const Interpreter& python, Object thread) noexcept {
  return Checker(python).chain(thread);
}

Verdict compare_with_api(const Interpreter& python, Object thread) noexcept {
  const Object current = python.current_frame();
  if (current == nullptr) return Verdict::no_frames;
  const Object wanted = python.frame_code(current);
  const int wanted_line = python.frame_line(current);
  bool met = false, agrees = true;
  int depth = 0;
  for (Object frame = innermost_frame(python.layout, thread);
       frame != nullptr && depth < kMaxFrames;
       frame = previous_frame(python.layout, frame), ++depth) {
    const Object code = code_of(python.layout, python.code_type, frame);
    if (code == nullptr) continue;
    // The API skips frames that have not reached their first line, so ours may lie a little deeper.
    if (!met && code == wanted) {
      met = line_of(python.layout, code, unit_of(python.layout, frame, code)) == wanted_line;
    }
    agrees = agrees && same_line(python, frame, code);
  }
  python.drop(wanted);
  return met && agrees ? Verdict::fits : Verdict::differs;
}

}  // namespace stepscope::python

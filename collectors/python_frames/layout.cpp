// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/layout.hpp"

#include <cstring>

namespace stepscope::python {
namespace {

// PyFrameObject, with the thread state's pointer to it. There are no shims: what is looked at in
// their place is the highest byte of the frame's type, which is 0.
constexpr Layout k39 = {
    .thread_interpreter = 16,
    .thread_frame = 24,
    .holder_frame = -1,
    .frame_code = 32,
    .frame_previous = 24,
    .frame_instruction = 104,
    .frame_owner = 15,
    .code_first_line = 40,
    .code_file = 104,
    .code_name = 112,
    .code_lines = 120,
    .code_bytes = 48,
    .code_version = 0,
    .object_type = 8,
    .sequence_size = 16,
    .bytes_data = 32,
    .text_length = 16,
    .text_state = 32,
    .text_ascii_data = 48,
    .text_wide_data = 72,
    .instruction_step = 1,
    .lines = Lines::increments,
    .thread_next = 8,
    .thread_native_id = 0,
    .interpreter_collecting = 0,
};

constexpr Layout of_310() noexcept {
  Layout layout = k39;
  layout.frame_instruction = 96;
  layout.instruction_step = 2;
  layout.lines = Lines::ranges;
  return layout;
}

constexpr Layout k311 = {
    .thread_interpreter = 16,
    .thread_frame = 56,
    .holder_frame = 8,
    .frame_code = 32,
    .frame_previous = 48,
    .frame_instruction = 56,
    .frame_owner = 69,
    .code_first_line = 72,
    .code_file = 112,
    .code_name = 128,
    .code_lines = 136,
    .code_bytes = 184,
    .code_version = 0,
    .object_type = 8,
    .sequence_size = 16,
    .bytes_data = 32,
    .text_length = 16,
    .text_state = 32,
    .text_ascii_data = 48,
    .text_wide_data = 72,
    .thread_next = 8,
    .thread_native_id = 160,
    .interpreter_collecting = 0,
    .frame_locals = 72,
    .frame_is_entry = 68,
    .code_stack_size = 68,
    .code_locals = 76,
    .range_has_index = true,
};

constexpr Layout k312 = {
    .thread_interpreter = 16,
    .thread_frame = 56,
    .holder_frame = 0,
    .frame_code = 0,
    .frame_previous = 8,
    .frame_instruction = 56,
    .frame_owner = 70,
    .code_first_line = 68,
    .code_file = 112,
    .code_name = 128,
    .code_lines = 136,
    .code_bytes = 192,
    .code_version = 92,
    .object_type = 8,
    .sequence_size = 16,
    .bytes_data = 32,
    .text_length = 16,
    .text_state = 32,
    .text_ascii_data = 40,
    .text_wide_data = 56,
    .thread_next = 8,
    .thread_native_id = 144,
    .interpreter_collecting = 0,
    .frame_locals = 72,
    .code_stack_size = 64,
    .code_locals = 72,
    .code_handlers = 40,
};

// _Py_DebugOffsets of 3.13, as 8-byte words after the cookie. Groups begin with the struct's size.
struct DebugOffsets313 {
  char cookie[8];
  std::uint64_t version, free_threaded;
  std::uint64_t runtime[3];
  struct {
    std::uint64_t size, id, next, first_thread, gc, other[8];
  } interpreter;
  struct {
    std::uint64_t size, previous, next, interpreter, frame, id, native_id, datastack, status;
  } thread;
  struct {
    std::uint64_t size, previous, executable, instruction, locals, owner;
  } frame;
  struct {
    std::uint64_t size, file, name, qualified_name, lines, first_line, arguments, local_names,
        local_kinds, bytes;
  } code;
  struct {
    std::uint64_t size, type;
  } object;
  std::uint64_t type[4];
  struct {
    std::uint64_t size, items, length;
  } tuple;
  std::uint64_t list[3], dict[3], real[2], integer[3];
  struct {
    std::uint64_t size, length, data;
  } bytes;
  struct {
    std::uint64_t size, state, length, ascii_size;
  } text;
  struct {
    std::uint64_t size, collecting;
  } gc;
};
static_assert(sizeof(DebugOffsets313) ==
              8UL * (3 + 3 + 13 + 9 + 6 + 10 + 2 + 4 + 3 + 3 + 3 + 2 + 3 + 3 + 4 + 2));

// The same of 3.14.
struct DebugOffsets314 {
  char cookie[8];
  std::uint64_t version, free_threaded;
  std::uint64_t runtime[3];
  struct {
    std::uint64_t size, id, next, first_thread, main_thread, gc, other[10];
  } interpreter;
  struct {
    std::uint64_t size, previous, next, interpreter, frame, id, native_id, datastack, status;
  } thread;
  struct {
    std::uint64_t size, previous, executable, instruction, locals, owner, stack, per_thread;
  } frame;
  struct {
    std::uint64_t size, file, name, qualified_name, lines, first_line, arguments, local_names,
        local_kinds, bytes, per_thread;
  } code;
  struct {
    std::uint64_t size, type;
  } object;
  std::uint64_t type[4];
  struct {
    std::uint64_t size, items, length;
  } tuple;
  std::uint64_t list[3], set[4], dict[3], real[2], integer[3];
  struct {
    std::uint64_t size, length, data;
  } bytes;
  struct {
    std::uint64_t size, state, length, ascii_size;
  } text;
  struct {
    std::uint64_t size, collecting;
  } gc;
};
static_assert(sizeof(DebugOffsets314) ==
              8UL * (3 + 3 + 16 + 9 + 8 + 11 + 2 + 4 + 3 + 3 + 4 + 3 + 2 + 3 + 3 + 4 + 2));

std::uint32_t offset(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word);
}

template <typename Table>
Layout from_debug_offsets(const Table& table) noexcept {
  constexpr std::uint32_t kWideHeader = 16;  // PyCompactUnicodeObject beyond the ASCII header
  Layout layout = k312;                      // what the table does not hold stayed as in 3.12
  layout.thread_interpreter = offset(table.thread.interpreter);
  layout.thread_frame = offset(table.thread.frame);
  layout.holder_frame = -1;
  layout.frame_code = offset(table.frame.executable);
  layout.frame_previous = offset(table.frame.previous);
  layout.frame_instruction = offset(table.frame.instruction);
  layout.frame_owner = offset(table.frame.owner);
  layout.code_first_line = offset(table.code.first_line);
  layout.code_file = offset(table.code.file);
  layout.code_name = offset(table.code.qualified_name);
  layout.code_lines = offset(table.code.lines);
  layout.code_bytes = offset(table.code.bytes);
  layout.code_version = 0;
  layout.object_type = offset(table.object.type);
  layout.sequence_size = offset(table.bytes.length);
  layout.bytes_data = offset(table.bytes.data);
  layout.text_length = offset(table.text.length);
  layout.text_state = offset(table.text.state);
  layout.text_ascii_data = offset(table.text.ascii_size);
  layout.text_wide_data = offset(table.text.ascii_size) + kWideHeader;
  layout.thread_next = offset(table.thread.next);
  layout.thread_native_id = offset(table.thread.native_id);
  layout.interpreter_collecting = offset(table.interpreter.gc + table.gc.collecting);
  layout.frame_locals = offset(table.frame.locals);
  layout.code_stack_size = layout.code_first_line - 4;
  layout.code_locals = layout.code_first_line + 4;
  layout.tuple_items = offset(table.tuple.items);
  return layout;
}

// `why` stays as it is where this is no such table.
template <typename Table>
bool read_table(unsigned long minor, const void* runtime, Layout& layout,
                const char*& why) noexcept {
  Table table;
  std::memcpy(&table, runtime, sizeof table);
  if (std::memcmp(table.cookie, "xdebugpy", sizeof table.cookie) != 0 ||
      table.version >> 16 != minor) {
    return false;
  }
  why = "python call sites are off: free-threaded builds are not supported";
  if (table.free_threaded != 0) return false;
  return layout = from_debug_offsets(table), true;
}

bool find_offsets(unsigned long minor, const void* runtime, Layout& layout,
                  const char*& why) noexcept {
  if (minor == 0x0309) return layout = k39, true;
  if (minor == 0x030a) return layout = of_310(), true;
  if (minor == 0x030b) return layout = k311, true;
  if (minor == 0x030c) return layout = k312, true;
  why = "python call sites are off: only CPython 3.9 to 3.14 are known";
  if (runtime == nullptr) return false;
  if (minor == 0x030d) return read_table<DebugOffsets313>(minor, runtime, layout, why);
  if (minor == 0x030e) return read_table<DebugOffsets314>(minor, runtime, layout, why);
  return false;
}

}  // namespace

bool find_layout(unsigned long version, const void* runtime, Layout& layout,
                 const char*& why) noexcept {
  const unsigned long minor = version >> 16;
  if (!find_offsets(minor, runtime, layout, why)) return false;
  layout.minor = minor & 0xFF;
  return true;
}

}  // namespace stepscope::python

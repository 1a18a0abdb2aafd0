// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps what we read: byte offsets of one minor version. All of it is read, never
// written.
//
//   thread state --frame--> innermost frame --previous--> ... --> null
//   frame: code object, instruction pointer (of the instruction being executed, or one of its
//   units) code object: file, qualified name (str), line table (bytes), first line, the
//   instructions themselves
//
// 3.9 to 3.12: constants, the same in every micro release. 3.13 and 3.14: read from _PyRuntime,
// which begins with a table made for debuggers (_Py_DebugOffsets). Before 3.11 a frame is a Python
// object that holds an index in place of a pointer to its instruction, and instructions are a bytes
// object.
#pragma once

#include <cstdint>

namespace stepscope::python {

// How the line table is written (line_table.hpp).
enum class Lines : std::uint8_t { locations, ranges, increments };

struct Layout {
  std::uint32_t thread_interpreter;
  std::uint32_t thread_frame;  // 3.13: the innermost frame; before: the C frame that holds it
  std::int32_t holder_frame;   // in the C frame; -1: there is no C frame between
  std::uint32_t frame_code;
  std::uint32_t frame_previous;
  std::uint32_t frame_instruction;  // a pointer, or an int where instruction_step is not 0
  std::uint32_t frame_owner;        // a char; kShimOwner marks frames without code of their own
  std::uint32_t code_first_line;    // int
  std::uint32_t code_file;
  std::uint32_t code_name;  // qualified
  std::uint32_t code_lines;
  std::uint32_t code_bytes;  // the instructions; before 3.11 a pointer to their bytes object
  std::uint32_t
      code_version;  // uint32, unique to a code object while not 0; offset 0: no such field
  std::uint32_t object_type;
  // Length of bytes and of code objects (the latter in units of two bytes).
  std::uint32_t sequence_size;
  std::uint32_t bytes_data;
  std::uint32_t text_length;
  std::uint32_t text_state;  // bits: interned 2, kind 3, compact 1, ascii 1
  std::uint32_t text_ascii_data;
  std::uint32_t text_wide_data;
  std::uint32_t instruction_step = 0;  // bytes of code that 1 of the int stands for
  Lines lines = Lines::locations;
  // What only the sampler reads (collectors/host_sampler/python_state.hpp).
  std::uint32_t thread_next;
  std::uint32_t thread_native_id;        // unsigned long
  std::uint32_t interpreter_collecting;  // int; 0: to be found
  unsigned minor = 0;                    // the version's: 11 of 3.11
  // Only the readers of loops use these fields, from 3.11 on (loop_positions.hpp,
  // host_sampler/loop_counts.hpp).
  std::uint32_t frame_locals = 0;     // then the value stack; 0: no such place
  std::uint32_t frame_is_entry = 0;   // a bool: called by C; 0: a shim marks that (3.12 on)
  std::uint32_t code_stack_size = 0;  // int, in slots
  std::uint32_t code_locals = 0;      // int, in slots
  std::uint32_t code_handlers = 0;    // bytes; 0: handlers stand among other code (before 3.12)
  std::uint32_t tuple_items = 24;
  bool range_has_index = false;  // 3.11: the iterator of a range counts up
};

inline constexpr char kShimOwner = 3;       // 3.12 on; no frame has it before
inline constexpr char kGeneratorOwner = 1;  // 3.11 on: the frame lies in a generator or a coroutine

// version: Py_Version (0x030b07f0 is 3.11.7). runtime: &_PyRuntime or null. False: an unknown
// version; `why` is the sentence for the user.
bool find_layout(unsigned long version, const void* runtime, Layout& layout,
                 const char*& why) noexcept;

}  // namespace stepscope::python

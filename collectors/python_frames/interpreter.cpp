// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/interpreter.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

namespace stepscope::python {
namespace {

template <typename T>
bool look_up(T& target, std::initializer_list<const char*> names) noexcept {
  for (const char* name : names) {
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) {
      target = reinterpret_cast<T>(symbol);
      return true;
    }
  }
  return false;
}

// Reads the version as Py_Version holds it, which is new in 3.11, without the micro release: from
// "3.9.2 (default, ...".
unsigned long version_in_words() noexcept {
  const char* (*words)() = nullptr;
  unsigned major = 0, minor = 0;
  if (!look_up(words, {"Py_GetVersion"}) || std::sscanf(words(), "%u.%u", &major, &minor) != 2)
    return 0;
  return static_cast<unsigned long>(major) << 24 | static_cast<unsigned long>(minor) << 16;
}

void look_up_iterators(IteratorTypes& types) noexcept {
  look_up(types.range, {"PyRangeIter_Type"});
  look_up(types.list, {"PyListIter_Type"});
  look_up(types.tuple, {"PyTupleIter_Type"});
  look_up(types.enumerate, {"PyEnum_Type"});
  look_up(types.zip, {"PyZip_Type"});
}

bool look_up_all(Interpreter& python) noexcept {
  look_up(python.first_thread, {"PyInterpreterState_ThreadHead"});
  look_up(python.list_type, {"PyList_Type"});
  look_up(python.generator_type, {"PyGen_Type"});
  look_up_iterators(python.iterators);
  return look_up(python.this_thread, {"PyGILState_GetThisThreadState"}) &&
         look_up(python.holder_of_gil,
                 {"PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet"}) &&
         look_up(python.is_finalizing, {"Py_IsFinalizing", "_Py_IsFinalizing"}) &&
         look_up(python.main_interpreter, {"PyInterpreterState_Main"}) &&
         look_up(python.code_type, {"PyCode_Type"}) &&
         look_up(python.text_type, {"PyUnicode_Type"}) &&
         look_up(python.bytes_type, {"PyBytes_Type"}) &&
         look_up(python.current_frame, {"PyEval_GetFrame"}) &&
         look_up(python.frame_code, {"PyFrame_GetCode"}) &&
         look_up(python.frame_line, {"PyFrame_GetLineNumber"}) &&
         look_up(python.code_line, {"PyCode_Addr2Line"}) && look_up(python.drop, {"Py_DecRef"});
}

}  // namespace

Found find_interpreter(Interpreter& python, const char*& why) noexcept {
  const unsigned long* version = nullptr;
  const void* runtime = nullptr;
  look_up(runtime, {"_PyRuntime"});
  if (runtime == nullptr) return Found::nothing;
  const unsigned long known = look_up(version, {"Py_Version"}) ? *version : version_in_words();
  if (!find_layout(known, runtime, python.layout, why)) return Found::unsupported;
  why = "python call sites are off: the interpreter lacks a symbol that they need";
  return look_up_all(python) ? Found::ready : Found::unsupported;
}

}  // namespace stepscope::python

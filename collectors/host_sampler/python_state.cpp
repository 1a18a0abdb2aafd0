// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/python_state.hpp"

#include "collectors/host_sampler/code_table.hpp"
#include "collectors/host_sampler/frame_chain.hpp"
#include "collectors/python_frames/python_call_site.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::host_sampler {
namespace {

constexpr int kMostThreads = 1024;

// struct _gc_runtime_state of 3.11 and 3.12 (later ones have the same behind the flag), from
// generations[0] on: three generations of 24 bytes, the pointer generation0 to the first of them,
// the permanent generation, three of statistics of 24 bytes, the flag, and the lists `garbage` and
// `callbacks`.
constexpr Address kGeneration0 = 72, kCollecting = kGeneration0 + 8 + 24 + 72;
constexpr Address kGarbage = kCollecting + 8, kCallbacks = kGarbage + 8;

bool is_flag_between_lists(const Memory& memory, const python::Interpreter& python, Address flag) {
  int value = -1;
  if (!memory.load(flag, value) || (value != 0 && value != 1)) return false;
  for (const Address list : {flag + kGarbage - kCollecting, flag + kCallbacks - kCollecting}) {
    Address object = 0, type = 0;
    if (!memory.load(list, object) || object == 0 ||
        !memory.load(object + python.layout.object_type, type) ||
        type != reinterpret_cast<Address>(python.list_type))
      return false;
  }
  return true;
}

// Whether the interpreter's structures fit our buffers. From 3.13 on interpreters publish their own
// offsets; one with larger structures than any known release is not read.
bool fits_buffers(const python::Layout& at) noexcept {
  constexpr std::size_t kCode = CodeTable::kHeaderBytes, kFrame = FrameChain::kFrameBytes;
  constexpr std::size_t kMostTextHeader = 128;
  const auto holds = [](std::size_t whole, auto... offsets) {
    return ((static_cast<std::size_t>(offsets) + sizeof(Address) <= whole) && ...);
  };
  return static_cast<std::size_t>(at.code_bytes) <= kCode &&
         holds(kCode, at.code_file, at.code_name, at.code_lines, at.code_first_line,
               at.code_version, at.sequence_size) &&
         holds(kFrame, at.frame_code, at.frame_previous, at.frame_instruction) &&
         static_cast<std::size_t>(at.frame_owner) < kFrame &&
         static_cast<std::size_t>(at.text_ascii_data) <= kMostTextHeader &&
         static_cast<std::size_t>(at.text_wide_data) <= kMostTextHeader;
}

}  // namespace

Address find_collecting(const Memory& memory, const python::Interpreter& python,
                        Address interpreter) noexcept {
  if (python.list_type == nullptr || interpreter == 0) return 0;
  if (const Address offset = python.layout.interpreter_collecting; offset != 0)
    return is_flag_between_lists(memory, python, interpreter + offset) ? interpreter + offset : 0;
  constexpr std::size_t kPage = 4096, kPages = 32;
  std::array<Address, kPage / sizeof(Address)> words;
  for (std::size_t page = 0; page < kPages; ++page) {
    const Address begin = interpreter + page * kPage;
    if (!memory.read(begin, words.data(), kPage)) return 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Address generations = begin + i * sizeof(Address) - kGeneration0;
      if (words[i] != generations) continue;
      if (is_flag_between_lists(memory, python, generations + kCollecting))
        return generations + kCollecting;
    }
  }
  return 0;
}

bool PythonState::is_ready() noexcept {
  if (python_ != nullptr && python::checked_interpreter() == nullptr) return false;  // given up
  if (python_ == nullptr) {
    const python::Interpreter* found = python::checked_interpreter();
    if (found == nullptr || found->first_thread == nullptr || found->layout.thread_native_id == 0 ||
        !fits_buffers(found->layout))
      return false;  // before 3.11 a thread's state does not say which thread of the system it is
    python_ = found;
    collecting_ = find_collecting(memory_, *found, main_interpreter());
    if (collecting_ != 0) recorder::collecting(recorder::Collector::garbage_collection);
  }
  return python_->is_finalizing() == 0;
}

Address PythonState::main_interpreter() const noexcept {
  return reinterpret_cast<Address>(python_->main_interpreter());
}

bool PythonState::is_thread(const Memory& memory, Address state, pid_t tid) const noexcept {
  Address interpreter = 0;
  unsigned long id = 0;
  const Memory::Piece pieces[] = {
      {state + python_->layout.thread_interpreter, &interpreter, sizeof interpreter},
      {state + python_->layout.thread_native_id, &id, sizeof id}};
  return memory.read(pieces) && id == static_cast<unsigned long>(tid) &&
         interpreter == main_interpreter() && interpreter != 0;
}

Address PythonState::thread_of(pid_t tid, Address last) const noexcept {
  if (last != 0 && is_thread(memory_, last, tid)) return last;
  const Address interpreter = main_interpreter();
  if (interpreter == 0) return 0;
  auto state = reinterpret_cast<Address>(
      python_->first_thread(reinterpret_cast<python::Object>(interpreter)));
  for (int i = 0; i < kMostThreads && state != 0; ++i) {
    if (is_thread(memory_, state, tid)) return state;
    if (!memory_.load(state + python_->layout.thread_next, state)) return 0;
  }
  return 0;
}

Address PythonState::thread_in_fork(const Memory& fork, pid_t pid) const noexcept {
  const Address interpreter = main_interpreter();
  if (interpreter == 0) return 0;
  auto state = reinterpret_cast<Address>(
      python_->first_thread(reinterpret_cast<python::Object>(interpreter)));
  for (int i = 0; i < kMostThreads && state != 0; ++i) {
    if (is_thread(fork, state, pid)) return state;
    if (!memory_.load(state + python_->layout.thread_next, state)) return 0;
  }
  return 0;
}

bool PythonState::is_collecting() const noexcept {
  int value = 0;
  return collecting_ != 0 && memory_.load(collecting_, value) && value == 1;
}

}  // namespace stepscope::host_sampler

// SPDX-License-Identifier: Apache-2.0
// A process of hand-made memory with a thread of CPython 3.12 in it: pages that exist, objects laid
// out by a Layout, and a hook that runs before each read, to change what is there meanwhile.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/host_sampler/memory.hpp"
#include "collectors/python_frames/interpreter.hpp"
#include "collectors/python_frames/layout.hpp"

namespace stepscope::host_sampler {

class FakeProcess final : public Memory {
 public:
  static constexpr std::size_t kPage = 4096;
  std::function<void()> before_read;
  mutable int reads = 0;

  FakeProcess() {
    const char* why = nullptr;
    (void)python::find_layout(0x030c01f0, nullptr, python_.layout, why);
    python_.code_type = object(kCodeType), python_.text_type = object(kTextType);
    python_.bytes_type = object(kBytesType), python_.list_type = object(kListType);
    python_.generator_type = object(kGeneratorType);
    python_.iterators = {.range = object(kIteratorTypes),
                         .list = object(kIteratorTypes + 0x100),
                         .tuple = object(kIteratorTypes + 0x200),
                         .enumerate = object(kIteratorTypes + 0x300),
                         .zip = object(kIteratorTypes + 0x400)};
  }

  using Memory::read;
  bool read(std::span<const Piece> pieces) const noexcept override {
    ++reads;
    if (before_read && !std::exchange(is_changing_, true)) {
      before_read();
      is_changing_ = false;
    }
    for (const Piece& piece : pieces) {
      for (std::size_t i = 0; i < piece.size; ++i) {
        const auto page = pages_.find((piece.from + i) / kPage);
        if (page == pages_.end()) return false;
        static_cast<char*>(piece.to)[i] = page->second[(piece.from + i) % kPage];
      }
    }
    return true;
  }

  const python::Interpreter& python() const { return python_; }
  const python::Layout& layout() const { return python_.layout; }

  template <typename T>
  void set(Address at, const T& value) {
    const char* bytes = reinterpret_cast<const char*>(&value);
    for (std::size_t i = 0; i < sizeof value; ++i) {
      std::vector<char>& page = pages_[(at + i) / kPage];
      page.resize(kPage);
      page[(at + i) % kPage] = bytes[i];
    }
  }
  void unmap(Address at) { pages_.erase(at / kPage); }

  Address room(std::size_t bytes) {
    const Address at = next_;
    next_ += (bytes + 15) / 16 * 16;
    for (Address page = at; page < next_; page += kPage) set(page, '\0');
    set(next_ - 1, '\0');
    return at;
  }

  Address text(std::string_view content) {
    const Address at = room(64 + content.size());
    set(at + layout().object_type, Address{kTextType});
    set(at + layout().text_length, content.size());
    set(at + layout().text_state, std::uint32_t{1U << 2 | 1U << 5 | 1U << 6});
    for (std::size_t i = 0; i < content.size(); ++i)
      set(at + layout().text_ascii_data + i, content[i]);
    return at;
  }

  // A code object of 8 units, all on its first line.
  Address code(std::string_view file, std::string_view name, int line) {
    const Address table = room(64);
    set(table + layout().object_type, Address{kBytesType});
    set(table + layout().sequence_size, std::size_t{2});
    set(table + layout().bytes_data, std::uint8_t{0x80 | 0 << 3 | 7});
    set(table + layout().bytes_data + 1, std::uint8_t{0});
    const Address at = room(layout().code_bytes + 16);
    set(at + layout().object_type, Address{kCodeType});
    set(at + layout().sequence_size, std::size_t{8});
    set(at + layout().code_file, text(file));
    set(at + layout().code_name, text(name));
    set(at + layout().code_lines, table);
    set(at + layout().code_first_line, line);
    return at;
  }

  Address frame(Address code_object, Address previous, int unit = 2) {
    const Address at = room(96);
    set(at + layout().frame_code, code_object);
    set(at + layout().frame_previous, previous);
    set(at + layout().frame_instruction, instruction(code_object, unit));
    return at;
  }
  Address instruction(Address code_object, int unit) const {
    return code_object + layout().code_bytes + 2 * static_cast<Address>(unit);
  }

  // A thread state whose innermost frame is that one.
  Address thread(Address frame) {
    const Address c_frame = room(32), at = room(256);
    set(at + layout().thread_frame, c_frame);
    set(c_frame + static_cast<Address>(layout().holder_frame), frame);
    return at;
  }
  void set_innermost(Address thread, Address frame) {
    Address c_frame = 0;
    (void)load(thread + layout().thread_frame, c_frame);
    set(c_frame + static_cast<Address>(layout().holder_frame), frame);
  }

  enum : Address {
    kCodeType = 0x1000,
    kTextType = 0x1100,
    kBytesType = 0x1200,
    kListType = 0x1300,
    kGeneratorType = 0x1400,
    kIteratorTypes = 0x1500
  };

 private:
  static python::Object object(Address at) { return reinterpret_cast<python::Object>(at); }

  std::map<Address, std::vector<char>> pages_;
  mutable bool is_changing_ = false;
  python::Interpreter python_{};
  Address next_ = 0x7000'0000'0000;
};

}  // namespace stepscope::host_sampler

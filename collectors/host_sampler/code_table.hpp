// SPDX-License-Identifier: Apache-2.0
// A table of the code objects that the sampler has met: whose code each is, its names, and the line
// of a place in it. Entries are kept by address and verified by the object's own words (file, name
// and line table, first line, version), which are read again with each sample (frame_chain.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "collectors/host_sampler/memory.hpp"
#include "collectors/python_frames/interpreter.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::host_sampler {

enum class Role : std::uint8_t {
  plain,
  loader,       // PyTorch's data loading
  fetch,        // the part of it that asks the dataset for a batch
  worker_loop,  // the main loop of a worker process
  importer,     // Python's import system
};

Role role_of(std::string_view path) noexcept;

struct CodeWords {  // the words of a code object that identify it, as they lie in memory
  Address type = 0, file = 0, name = 0, lines = 0;
  std::uint64_t units = 0;
  std::uint32_t version = 0;
  std::int32_t first_line = 0;
  friend bool operator==(const CodeWords&, const CodeWords&) = default;
};

struct Code {
  Address address = 0;
  CodeWords words;
  python::SourceKind kind = python::SourceKind::library;
  Role role = Role::plain;
  recorder::NameId file = 0, function = 0;
  recorder::NameId label = 0;                // "queue.Queue.get"
  std::uint32_t locals = 0, stack_size = 0;  // slots of a frame of it; 0: not known
};

class CodeTable {
 public:
  // Bytes of a code object's header that layouts refer to.
  static constexpr std::size_t kHeaderBytes = 256;
  using Header = std::array<char, kHeaderBytes>;

  explicit CodeTable(const python::Interpreter& python) noexcept : python_(python) {}

  // Returns the code object at that address; null: there is none, or it cannot be read. Reads only
  // what is not in the table.
  const Code* find(const Memory& memory, Address address) noexcept;
  // Whether its words, read anew, are those that the walk saw. False: it is forgotten.
  bool is_still(Address address, const CodeWords& seen, const Header& header) noexcept;
  std::size_t header_bytes() const noexcept { return python_.layout.code_bytes; }

  // True where the instruction lies in the code object.
  bool holds(const Code& code, Address instruction) const noexcept;
  // The call site of an instruction in it; 0: the line table cannot be read.
  recorder::SiteRef site_of(const Memory& memory, const Code& code, Address instruction) noexcept;
  // The line of an instruction in it as reports show it; 0: the line table cannot be read.
  std::uint32_t line_of(const Memory& memory, const Code& code, Address instruction) noexcept;
  void forget() noexcept;

 private:
  static constexpr std::size_t kCodes = 4096, kSites = 4096;
  static constexpr std::size_t kMostText = 1024, kMostTable = 1 << 16;
  struct Place {
    Address code = 0, instruction = 0;
    CodeWords words;
    recorder::SiteRef site = 0;
  };

  Code& slot_of(Address address) noexcept;
  CodeWords words_of(const Header& header) const noexcept;
  bool describe(const Memory& memory, Code& code) noexcept;
  std::size_t read_text(const Memory& memory, Address text, char* out) noexcept;
  bool has_type(const Memory& memory, Address object, python::Object type) const noexcept;

  const python::Interpreter& python_;
  std::array<Code, kCodes> codes_{};
  std::array<Place, kSites> places_{};
  std::array<char, 4 * kMostText + 128> raw_text_{};
  std::array<unsigned char, kMostTable> table_{};
};

}  // namespace stepscope::host_sampler

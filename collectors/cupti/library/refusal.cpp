// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/library/cupti_library.hpp"

#include <array>
#include <cstdio>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::cupti {

void note_refusal(const Library& library, const char* what, Status status) noexcept {
  const char* text = nullptr;
  (void)library.result_text(status, &text);
  const char* remedy = "";
  if (status == kMultipleSubscribers)
    remedy = "; another tool (nsys, ncu, cuda-gdb, compute-sanitizer) traces this process";
  if (status == kNotInitialized)
    remedy = "; this libcupti is newer than the driver: use the one of the driver's CUDA version";
  if (status == kInsufficientPrivileges || status == kVirtualizedNoPrivileges)
    remedy = "; the driver restricts profiling to administrators";
  std::array<char, 512> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "no device work is recorded: %s failed with %d %s%s", what, status,
                text == nullptr ? "" : text, remedy);
  recorder::note(sentence.data());
}

}  // namespace stepscope::cupti

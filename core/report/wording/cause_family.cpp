// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/cause_family.hpp"

namespace stepscope {
namespace {

struct FamilyWords {
  std::string_view id;
  std::string_view meaning;
};

constexpr std::array<FamilyWords, kCauseFamilies.size()> kWords = {
    {{"device", "the device computes"},
     {"comm", "communication that nothing hides"},
     {"copy", "copies that nothing hides"},
     {"issued", "device idle, its next work issued"},
     {"cpu", "the CPU computes"},
     {"host", "the device, or the step, waits for the host"},
     {"profiler", "the profiler itself"},
     {"unexplained", "not explained"}}};

const FamilyWords& words_of(CauseFamily family) {
  return kWords[static_cast<std::size_t>(family)];
}

}  // namespace

CauseFamily family_of(Cause cause) {
  if (cause <= Cause::gpu_other) return CauseFamily::device_compute;
  if (cause <= Cause::comm_late_rank || cause == Cause::comm_wait)
    return CauseFamily::communication;
  if (cause <= Cause::copy_set) return CauseFamily::copy;
  if (cause < Cause::host_python) return CauseFamily::issued;
  if (cause >= Cause::host_compute_gemm && cause <= Cause::host_compute_other)
    return CauseFamily::host_compute;
  if (is_unexplained(cause)) return CauseFamily::unexplained;
  return cause == Cause::profiler ? CauseFamily::profiler : CauseFamily::host;
}

std::string_view name_of(CauseFamily family) {
  return words_of(family).id;
}

std::string_view meaning_of(CauseFamily family) {
  return words_of(family).meaning;
}

}  // namespace stepscope

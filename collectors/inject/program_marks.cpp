// SPDX-License-Identifier: Apache-2.0
// What the Python module `stepscope` calls: ranges of the calling thread, in the domain and with
// the names that annotate.hpp gives them, the user's start and stop, and the
// switch by which the cost of sampling is measured. A program without the
// library finds no such symbol.
#include <atomic>
#include <cstring>

#include "collectors/host_sampler/host_sampler.hpp"
#include "collectors/inject/startup.hpp"
#include "collectors/nvtx/domains.hpp"
#include "collectors/nvtx/ranges.hpp"

#define STEPSCOPE_EXPORT __attribute__((visibility("default")))

namespace {

constinit std::atomic<const stepscope::nvtx::Domain*> domain{nullptr};

// Whoever creates it first: a domain of the same name is the same one.
const stepscope::nvtx::Domain* own_domain() noexcept {
  constexpr char kName[] = "stepscope";
  const auto* known = domain.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  known = stepscope::nvtx::create_domain(stepscope::recorder::intern_name(kName, sizeof kName - 1));
  domain.store(known, std::memory_order_release);
  return known;
}

}  // namespace

extern "C" {

STEPSCOPE_EXPORT void stepscope_range_begin(const char* name) {
  if (!stepscope::recorder::is_armed() || name == nullptr) return;
  (void)stepscope::nvtx::push_range(own_domain(),
                                    stepscope::recorder::range_name(name, std::strlen(name)));
}

STEPSCOPE_EXPORT void stepscope_range_end() {
  if (stepscope::recorder::is_armed()) (void)stepscope::nvtx::pop_range(own_domain());
}

STEPSCOPE_EXPORT void stepscope_capture(int on) {
  stepscope::inject::on_program_control(on != 0);
}

STEPSCOPE_EXPORT void stepscope_sampling(int on) {
  stepscope::host_sampler::switch_sampling(on != 0);
}
}

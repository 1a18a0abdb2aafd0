// SPDX-License-Identifier: Apache-2.0
// As tests/collectors/recorded_child.hpp, in a process that has recorded something already: the
// writer thread is there.
#pragma once

#include "tests/collectors/recorded_child.hpp"

namespace stepscope::nvml {

class RecordedChild : public stepscope::RecordedChild {
 protected:
  void record(const std::function<void()>& body) {
    stepscope::RecordedChild::record([&body] {
      recorder::mark(recorder::intern_name("begin", 5), 0);
      body();
    });
  }
};

}  // namespace stepscope::nvml

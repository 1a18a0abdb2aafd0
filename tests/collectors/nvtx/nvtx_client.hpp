// SPDX-License-Identifier: Apache-2.0
// The collector as programs meet it: real NVTX headers here, our library loaded by them through
// NVTX_INJECTION64_PATH, a fake recorder behind.
#pragma once

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace stepscope {

using fake_recorder::Event;
using What = Event::What;

inline nvtxEventAttributes_t attributes(const char* message) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = message;
  return event;
}

inline std::vector<Event> only(What what) {
  std::vector<Event> kept;
  for (const Event& event : fake_recorder::events()) {
    if (event.what == what) kept.push_back(event);
  }
  return kept;
}

class NvtxClient : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("NVTX_INJECTION64_PATH", STEPSCOPE_TEST_INJECTION, 1); }
  void SetUp() override { fake_recorder::reset(); }
  // The gtest thread is the fake recorder's first or a later one, depending on the test's filter.
  std::vector<std::string> story() {
    const auto all = fake_recorder::events();
    return all.empty() ? std::vector<std::string>{} : fake_recorder::story(all.front().thread);
  }
};

}  // namespace stepscope

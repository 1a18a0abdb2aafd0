// SPDX-License-Identifier: Apache-2.0
// Names of calls as a real libcupti says them, which needs no device. Left out where there is none.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "collectors/cupti/calls/api_functions.hpp"
#include "collectors/cupti/calls/call_hooks.hpp"

namespace stepscope::cupti {
namespace {

class RealNames : public testing::Test {
 protected:
  void SetUp() override {
    if (!found_.usable) GTEST_SKIP() << found_.why_not.data();
  }
  std::string name(Domain domain, std::uint32_t id) const {
    return call_name(found_.functions, domain, id).data();
  }
  std::set<std::string> all() const {
    std::set<std::string> names;
    for (const Domain domain : {Domain::runtime, Domain::driver}) {
      for (std::uint32_t id = 0; id < 1024; ++id) names.insert(name(domain, id));
    }
    return names;
  }
  FoundLibrary found_ = find_library();
};

TEST_F(RealNames, TheListHasThemWithoutTheirSuffixes) {
  for (const ApiFunction& function : api_functions()) {
    for (const std::uint16_t id : function.ids) {
      const std::string real = id == 0 ? "" : name(function.domain, id);
      EXPECT_TRUE(real.empty() || real == function.name) << real;  // empty: newer than the library
    }
  }
}

TEST_F(RealNames, SomeHundredsAreNotListed) {
  std::set<std::string> names = all();
  for (const ApiFunction& function : api_functions()) names.erase(function.name);
  std::erase_if(names, [](const std::string& n) { return n.empty() || is_noise(n); });
  EXPECT_GT(names.size(), 500U);
  for (const char* name : {"cudaEventQuery", "cudaStreamQuery", "cuMemMap", "cudaFuncGetAttributes",
                           "cudaOccupancyMaxActiveBlocksPerMultiprocessor"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(RealNames, NoiseIsOfCallsThatThereAre) {
  const std::set<std::string> names = all();
  for (const char* name : {"cudaGetDevice", "cudaPeekAtLastError", "cudaStreamIsCapturing",
                           "cudaStreamGetCaptureInfo", "cuCtxGetCurrent", "cuPointerGetAttribute",
                           "cuGetProcAddress", "__cudaPushCallConfiguration"}) {
    EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_TRUE(is_noise(name)) << name;
  }
}

}  // namespace
}  // namespace stepscope::cupti

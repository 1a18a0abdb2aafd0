// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/native_place.hpp"

#include <gmock/gmock.h>

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NativePlace, PlacesAreReadInTheirOrder) {
  EXPECT_THAT(native_places("native:/a/train+0x1f;/a/lib.so+0x20"),
              ElementsAre(NativePlace{"/a/train", 0x1f}, NativePlace{"/a/lib.so", 0x20}));
}

TEST(NativePlace, APathMayHoldWhatSeparates) {
  EXPECT_THAT(native_places("native:/a;b/x+1+0x2;/c+0x3"),
              ElementsAre(NativePlace{"/a;b/x+1", 2}, NativePlace{"/c", 3}));
}

TEST(NativePlace, OtherNamesAndWhatIsCutHoldNone) {
  for (const char* text : {"forward", "", "native:", "native:/a", "native:+0x1", "native:/a+0x",
                           "native:/a+0xzz", "native:/a+0x11111111111111111"})
    EXPECT_THAT(native_places(text), IsEmpty()) << text;
}

}  // namespace
}  // namespace stepscope

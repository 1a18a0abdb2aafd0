// SPDX-License-Identifier: Apache-2.0
// Makes std::string's members those of libstdc++.so in every file. Included by the compiler's command
// line, before all else (reference_trainers/CMakeLists.txt says why).
#pragma once

#include <string>

extern template class std::basic_string<char>;

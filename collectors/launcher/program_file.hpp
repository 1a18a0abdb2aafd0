// SPDX-License-Identifier: Apache-2.0
// The properties of a program that the launcher needs before it starts it.
#pragma once

#include <string>

namespace stepscope::launcher {

// Finds the program as execvp does: the word itself where it holds a slash, else the first
// executable in PATH; empty where there is none.
std::string find_program(const std::string& word);

// Built with AddressSanitizer (or another one that must come first): LD_PRELOAD would stop it.
bool needs_to_be_first(const std::string& path);

// Has a program interpreter (the loader); a static one ignores LD_PRELOAD. True for what is no ELF
// file.
bool is_dynamic(const std::string& path);

// A tool that traces the device of the program that it starts: CUDA serves one, so it gets the
// device and stepscope the host side.
bool takes_the_device(const std::string& word);

}  // namespace stepscope::launcher

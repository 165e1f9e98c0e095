#pragma once

#include <cstdio>
#include <exception>

namespace eventspace::bench {

/// The main function of a benchmark program: returns the result of `work`; if that throws, returns 3 and
/// prints the program and the reason to standard error.
template <class Work>
int run_program(const char* program, const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 3;
  }
}

}  // namespace eventspace::bench

#pragma once

#include <cstdio>
#include <exception>

namespace eventspace::bench {

/// What the main of a program of the benchmarks returns: what `work` does; when that throws, 3, and a line on
/// standard error says which program failed and why.
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

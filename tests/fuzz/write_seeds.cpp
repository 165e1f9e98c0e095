// With libFuzzer: writes the target's seeds into the directory that EVENTSPACE_FUZZ_SEEDS names, and ends.

#include <cstdlib>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const directory = std::getenv("EVENTSPACE_FUZZ_SEEDS");
  if (directory == nullptr) return 0;
  std::size_t number = 0;
  for (const std::string& seed : eventspace::fuzz::seeds()) {
    const std::string name = "seed-" + std::to_string(number++);
    std::ofstream(std::filesystem::path(directory) / name, std::ios::binary) << seed;
  }
  std::exit(0);
}

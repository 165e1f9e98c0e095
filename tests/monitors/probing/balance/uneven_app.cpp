// A program with a work loop whose parts are known: uneven_app PARTS works in rounds until SIGTERM, PARTS
// times as long in `uneven_sweep` as in `uneven_exchange`. Functions have plain names.

#include <csignal>
#include <cstdint>
#include <cstdlib>

#ifdef __clang__
#define ONE_FUNCTION [[gnu::noinline]]
#else
#define ONE_FUNCTION [[gnu::noinline, gnu::noclone]]
#endif

namespace {
volatile std::sig_atomic_t is_over = 0;
volatile std::uint64_t sink = 0;
}  // namespace

extern "C" {

ONE_FUNCTION std::uint64_t uneven_tiny(std::uint64_t value) {
  return value * 0xff51afd7ed558ccdU + (value >> 7);
}

ONE_FUNCTION void uneven_kernel(int parts) {
  std::uint64_t value = 1;
  for (int i = 0; i < parts * 200000; ++i) value = value * 6364136223846793005U + 1442695040888963407U;
  sink = sink + value;
}
ONE_FUNCTION void uneven_norm() {
  std::uint64_t value = 1;
  for (int i = 0; i < 1000; ++i) value = uneven_tiny(value);
  sink = sink + value;
}
ONE_FUNCTION void uneven_sweep(int parts) {
  sink = sink + static_cast<std::uint64_t>(parts);
  uneven_kernel(parts);
  uneven_norm();
  sink = sink + 1;
}
ONE_FUNCTION void uneven_exchange() {
  uneven_kernel(1);
  sink = sink + 2;
}
ONE_FUNCTION void uneven_loop(int parts) {
  while (is_over == 0) {
    uneven_sweep(parts);
    uneven_exchange();
    for (int i = 0; i < 2000; ++i) sink = uneven_tiny(sink);
  }
}
}

int main(int count, char** words) {
  std::signal(SIGTERM, [](int) { is_over = 1; });
  uneven_loop(count > 1 ? std::atoi(words[1]) : 1);
  return 0;
}

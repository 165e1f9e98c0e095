// A program that calls short_work as often as its argument says, and ends.

#include <cstdint>
#include <cstdlib>

#ifdef __clang__
#define ONE_FUNCTION [[gnu::noinline]]
#else
#define ONE_FUNCTION [[gnu::noinline, gnu::noclone]]
#endif

extern "C" {
ONE_FUNCTION std::uint64_t short_work(std::uint64_t number) {
  volatile std::uint64_t mixed = number;
  for (int i = 0; i < 20; ++i) mixed = mixed * 3 + 1;
  return mixed;
}
}

int main(int count, char** words) {
  const std::uint64_t calls = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < calls; ++i) sum += short_work(i);
  return sum == 1 ? 1 : 0;
}

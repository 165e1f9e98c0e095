// A shared library that fault_app closes while it has a probe.

extern "C" [[gnu::noinline]] int fault_part(int value) {
  static volatile int sum = 0;
  sum = sum + value * 5;
  return sum - value;
}

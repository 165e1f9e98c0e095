// solver [STEPS]: a program without a pathmap, which can still be watched. docs/sessions.md shows it.
#include <eventspace/eventspace.h>

#include <cmath>
#include <cstdlib>
#include <iostream>

using namespace eventspace;

namespace {

// Represents the work of a step: iterates towards the number that is its own cosine.
double improve(double guess) {
  for (int i = 0; i < 10'000; ++i) guess = (guess + std::cos(guess)) / 2;
  return guess;
}

}  // namespace

int main(int argc, char** argv) try {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  Session session = Session::open("solver");
  SessionThread& me = session.thread("main");  // optional: a name for this thread
  double guess = 1;
  for (int step = 0; step < steps; ++step) {
    me.set_virtual_time(static_cast<std::uint64_t>(step));
    EVENTSPACE_REGION("step");  // ends with the block
    guess = improve(guess);
    EVENTSPACE_PROBE("improved", step, guess);
  }
  std::cout << steps << " steps: " << guess << '\n';
} catch (const Error& error) {  // an invalid session name, no shared memory
  std::cerr << "solver: " << error.what() << '\n';
  return 3;
}

// steps: ten steps, each with an exchange. docs/extending.md shows it.
#include <eventspace/eventspace.h>

#include <chrono>
#include <iostream>
#include <thread>

using namespace eventspace;

namespace {

// Represents the work of a step.
void work(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace

int main() try {
  Session session = Session::open("steps");
  session.thread("main");
  for (int step = 0; step < 10; ++step) {
    EVENTSPACE_REGION("step");
    work(std::chrono::milliseconds(6));
    EVENTSPACE_REGION("exchange");  // ends with the step
    work(std::chrono::milliseconds(3));
  }
} catch (const Error& error) {
  std::cerr << "steps: " << error.what() << '\n';
  return 3;
}

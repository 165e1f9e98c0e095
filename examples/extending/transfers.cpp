// transfers: records ten transfers to a device and back, as a library for devices would. docs/extending.md
// shows it.
#include <eventspace/eventspace.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "collectors/probes/probe_host.h"
#include "examples/extending/transfer_kind.h"

using namespace eventspace;
using example::TransferClass;

namespace {

// Represents the transfer itself.
void copy(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

}  // namespace

int main() try {
  const Session session = Session::open("transfers");
  const auto thread = probe_host()->add_thread_of({.name = "transfers", .names_first_thread = true});
  if (!thread) return 3;
  example::TransferRecorder recorder(thread->writer, thread->identity, *thread->recorded, Clock::instance());
  for (int i = 0; i < 5; ++i) {
    if (recorder.begin(TransferClass::to_device, 3)) {
      copy(std::chrono::microseconds(500));
      recorder.end(std::uint64_t{1} << 20);
    }
    if (recorder.begin(TransferClass::from_device, 3)) {
      copy(std::chrono::microseconds(200));
      recorder.end(4096);
    }
  }
} catch (const Error& error) {
  std::cerr << "transfers: " << error.what() << '\n';
  return 3;
}

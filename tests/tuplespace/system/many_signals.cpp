#include "tests/tuplespace/system/many_signals.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace eventspace::test {
namespace {

int calls_left = 0;  // 0 means no signals

}  // namespace

ManySignals::ManySignals() { calls_left = 1000; }
ManySignals::~ManySignals() { calls_left = 0; }

}  // namespace eventspace::test

// Replaces the function of the system in this program.
extern "C" int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  int& left = eventspace::test::calls_left;
  const bool interrupted = left > 0 && (--left % 2 == 0 || bytes > 1 << 20);
  if (interrupted) return left > 0 ? EINTR : EDEADLK;
  return ::syscall(SYS_fallocate, descriptor, 0, offset, bytes) == 0 ? 0 : errno;
}

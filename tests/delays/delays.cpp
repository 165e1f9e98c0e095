// A shared object for LD_PRELOAD that makes threads sleep at random places, at their start and around system
// calls, as on an overloaded machine. Tests that rely on speed then fail.
//
//   EVENTSPACE_DELAY_MS=N     the longest sleep [30]
//   EVENTSPACE_DELAY_EVERY=N  one sleep in N places on average [100]
//
// Does not work with sanitizers, which replace the same functions.

#undef _FORTIFY_SOURCE  // _FORTIFY_SOURCE defines functions of the same names

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

namespace {

// Function-local static variables are not used here: a thread that waits for their initialization by another
// thread calls functions that this file replaces, and would recurse.

// A number from the environment, read at the first use.
class Setting {
 public:
  constexpr Setting(const char* variable, std::uint64_t otherwise)
      : variable_(variable), otherwise_(otherwise) {}

  std::uint64_t value() {
    if (value_.load(std::memory_order_relaxed) == 0) {
      const char* const text = std::getenv(variable_);
      const std::uint64_t told = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
      value_.store(told == 0 ? otherwise_ : told, std::memory_order_relaxed);
    }
    return value_.load(std::memory_order_relaxed);
  }

 private:
  const char* variable_;
  std::uint64_t otherwise_;
  std::atomic<std::uint64_t> value_{0};
};

constinit Setting longest_ms("EVENTSPACE_DELAY_MS", 30);
constinit Setting every("EVENTSPACE_DELAY_EVERY", 100);

// xorshift64, with a state for each thread.
std::uint64_t random_number() {
  thread_local std::uint64_t state =
      (static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
       reinterpret_cast<std::uintptr_t>(&state)) |
      1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 16;
}

void perhaps_wait() {
  const int error = errno;
  if (random_number() % every.value() == 0)
    std::this_thread::sleep_for(std::chrono::microseconds(random_number() % (1000 * longest_ms.value())));
  errno = error;
}

// The original function with this name, which a function in this file replaces.
template <class Function>
class Behind {
 public:
  explicit constexpr Behind(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    if (function_.load(std::memory_order_relaxed) == nullptr)
      function_.store(reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_)), std::memory_order_relaxed);
    return function_.load(std::memory_order_relaxed)(arguments...);
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

template <class Function, class... Arguments>
auto delayed(Function& function, Arguments... arguments) {
  perhaps_wait();
  const auto result = function(arguments...);
  perhaps_wait();
  return result;
}

struct Beginning {
  void* (*function)(void*);
  void* argument;
};

void* begin_late(void* beginning) {
  const Beginning begins = *std::unique_ptr<Beginning>(static_cast<Beginning*>(beginning));
  perhaps_wait();
  return begins.function(begins.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  static constinit Behind<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> create(
      "pthread_create");
  auto beginning = std::make_unique<Beginning>(Beginning{function, argument});
  const int error = create(thread, attributes, begin_late, beginning.get());
  if (error == 0) (void)beginning.release();
  perhaps_wait();
  return error;
}

// --- files --------------------------------------------------------------------------------------------

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const bool makes_one = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes_one ? va_arg(more, mode_t) : 0;
  va_end(more);
  static constinit Behind<int(const char*, int, ...)> function("open");
  return delayed(function, path, flags, mode);
}
int close(int descriptor) {
  static constinit Behind<int(int)> function("close");
  return delayed(function, descriptor);
}
int unlink(const char* path) noexcept {
  static constinit Behind<int(const char*)> function("unlink");
  return delayed(function, path);
}
int rename(const char* from, const char* to) noexcept {
  static constinit Behind<int(const char*, const char*)> function("rename");
  return delayed(function, from, to);
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  static constinit Behind<int(int, off_t)> function("ftruncate");
  return delayed(function, descriptor, bytes);
}
void* mmap(void* address, size_t bytes, int access, int flags, int descriptor, off_t offset) noexcept {
  static constinit Behind<void*(void*, size_t, int, int, int, off_t)> function("mmap");
  if (descriptor < 0) return function(address, bytes, access, flags, descriptor, offset);  // anonymous memory
  return delayed(function, address, bytes, access, flags, descriptor, offset);
}

// --- peers --------------------------------------------------------------------------------------------

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  static constinit Behind<int(pollfd*, nfds_t, int)> function("poll");
  return delayed(function, descriptors, count, timeout);
}
int epoll_wait(int set, epoll_event* events, int most, int timeout) {
  static constinit Behind<int(int, epoll_event*, int, int)> function("epoll_wait");
  return delayed(function, set, events, most, timeout);
}
int connect(int socket, const sockaddr* address, socklen_t bytes) {
  static constinit Behind<int(int, const sockaddr*, socklen_t)> function("connect");
  return delayed(function, socket, address, bytes);
}
ssize_t send(int socket, const void* data, size_t bytes, int flags) {
  static constinit Behind<ssize_t(int, const void*, size_t, int)> function("send");
  return delayed(function, socket, data, bytes, flags);
}
ssize_t recv(int socket, void* data, size_t bytes, int flags) {
  static constinit Behind<ssize_t(int, void*, size_t, int)> function("recv");
  return delayed(function, socket, data, bytes, flags);
}

// The project uses syscall() for futex only. Other calls are forwarded without delay, with all six possible
// arguments.
long syscall(long number, ...) noexcept {
  std::va_list more;
  va_start(more, number);
  const long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long);
  const long d = va_arg(more, long), e = va_arg(more, long), f = va_arg(more, long);
  va_end(more);
  static constinit Behind<long(long, ...)> function("syscall");
  if (number != SYS_futex) return function(number, a, b, c, d, e, f);
  return delayed(function, number, a, b, c, d, e, f);
}

}  // extern "C"

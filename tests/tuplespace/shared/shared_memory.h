#pragma once

#include <sys/mman.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

namespace eventspace::test {

/// A T that this process shares with the children that it makes later.
template <class T>
class SharedMemory {
 public:
  SharedMemory() {
    void* const memory =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    value_ = ::new (memory) T();
  }
  ~SharedMemory() { ::munmap(value_, sizeof(T)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  T* value_;
};

/// Polls `condition` until it holds, for at most a minute, and returns whether it does.
template <class Condition>
bool comes_true(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace eventspace::test

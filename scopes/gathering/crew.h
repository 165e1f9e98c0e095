#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace eventspace {

/// Runs pieces of work in several threads, including the caller. The threads belong to oneTBB, which other
/// users in the process share. There are never more than the machine has processors, and they exist only
/// while there is work. Used by one thread at a time.
class Crew {
 public:
  /// `threads` is the largest number of threads, including the caller of run().
  explicit Crew(std::size_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls work(0), work(1) ... work(count - 1), each once, in any thread and order, and blocks until all
  /// have returned. Writes of the caller before are visible to each call, and writes of each call to the
  /// caller. If calls throw, one of the exceptions is thrown to the caller.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace eventspace

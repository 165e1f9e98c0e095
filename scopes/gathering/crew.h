#pragma once

// Private to scopes/.

#include <cstddef>
#include <functional>
#include <memory>

namespace eventspace {

/// A few threads (of oneTBB's, which they share with whoever else in the process uses it) that do pieces of
/// work beside the thread that wants them done. They are there when there is work, and never more than the
/// machine has processors. Used by one thread at a time.
class Crew {
 public:
  /// `threads`: at most, that of the caller of run() included.
  explicit Crew(std::size_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls work(0), work(1) ... work(count - 1), each once, and returns when all have. What was written
  /// before is visible to each, and what they wrote is visible after. Throws what one of them throws.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace eventspace

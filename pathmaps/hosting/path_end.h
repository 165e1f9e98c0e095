#pragma once

#include <memory>

#include <eventspace/stage.h>

namespace eventspace {

/// The second half of a remote path: the stages in the process that hosts the element. A path has one user at
/// a time. When a thread opens the path again, for example after a lost connection, the new user replaces the
/// previous one, whose operation under way is ended first with Status::closed. Stage::leave is called on the
/// chain when a user is replaced, is destroyed, or leaves.
///
/// Not thread-safe: used by the server's thread only.
class PathEnd {
 public:
  explicit PathEnd(std::unique_ptr<Stage> chain) noexcept : chain_(std::move(chain)) {}

  /// Returns a stage that forwards to this end until the next call of open; then it refuses operations. The
  /// end must outlive it.
  std::unique_ptr<Stage> open();

 private:
  class User;

  std::unique_ptr<Stage> chain_;
  User* user_{nullptr};
};

}  // namespace eventspace

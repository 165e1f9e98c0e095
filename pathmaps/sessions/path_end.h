#pragma once

// Private to pathmaps/.

#include <memory>

#include "paths/stage.h"

namespace eventspace {

/// The part of one path that lies in the process that hosts its element, as remote threads reach it. A path
/// has one user at a time: whoever opens it anew (the thread after a lost connection, say) takes it over, and
/// an operation that the earlier user left under way is ended first. Not thread-safe: belongs to the
/// server's thread. When a user goes, by being taken over, or says so, the chain is told (Stage::leave).
class PathEnd {
 public:
  explicit PathEnd(std::unique_ptr<Stage> chain) noexcept : chain_(std::move(chain)) {}

  /// A stage that forwards to this end until the next call of open. The end must outlive it.
  std::unique_ptr<Stage> open();

 private:
  class User;

  std::unique_ptr<Stage> chain_;
  User* user_{nullptr};
};

}  // namespace eventspace

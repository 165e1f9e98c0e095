#pragma once

#include <memory>
#include <vector>

#include "scopes/gathering/branch.h"

namespace eventspace {

using Branches = std::vector<std::unique_ptr<Branch>>;

/// The way in which a combining stage pulls from its branches, for one pull at a time. begin, ready and
/// finish mean the same as in Stage. After finish, view() of each branch is its result. Not thread-safe.
class Round {
 public:
  virtual ~Round() = default;
  virtual void begin(Operation& operation) = 0;
  virtual bool ready(Operation& operation) = 0;
  virtual void finish(Operation& operation) = 0;

 protected:
  Round() = default;
  Round(const Round&) = default;
  Round& operator=(const Round&) = default;
};

}  // namespace eventspace

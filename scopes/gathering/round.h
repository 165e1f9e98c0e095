#pragma once

// Private to scopes/.

#include <memory>
#include <vector>

#include "scopes/gathering/branch.h"

namespace eventspace {

using Branches = std::vector<std::unique_ptr<Branch>>;

/// How a combining stage asks its branches, each pull anew; begin, ready and finish as of a Stage. After
/// finish the view of each branch is there.
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

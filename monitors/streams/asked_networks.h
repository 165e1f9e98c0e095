#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/report.h"
#include "tuplespace/system/deadline.h"

namespace eventspace {

/// What was found of one network: its report or, if its front-end did not answer, why.
struct FoundNetwork {
  std::string name;
  std::int32_t pid{0};  ///< of the front-end; 0: not known
  std::string silence{};
  streams::NetworkReport report{};
};

/// Asks the front-ends of these networks for their reports, all at once, and waits for the answers until the
/// deadline at the longest: a front-end answers only while it waits for its network.
[[nodiscard]] std::vector<FoundNetwork> ask_networks(const std::vector<streams::AttachPoint>& front_ends,
                                                     Deadline deadline);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/report.h"

namespace eventspace {

/// The result for one network: its report or, if its front-end did not answer, the reason.
struct FoundNetwork {
  std::string name;
  std::int32_t pid{0};  ///< of the front-end; 0 if unknown
  std::string silence{};
  streams::NetworkReport report{};
};

/// Requests the reports of these networks from their front-ends, all at once, and waits for the answers until
/// the deadline: a front-end answers only while it waits for its network.
[[nodiscard]] std::vector<FoundNetwork> ask_networks(const std::vector<streams::AttachPoint>& front_ends,
                                                     Deadline deadline);

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// A message of a recording with its two ends. Times are nanoseconds.
struct MessageSample {
  std::uint64_t bytes{0};
  std::uint32_t sender{0};
  std::size_t send{0};  // action of the sender
  ActionTime sent{};
  std::int64_t posted_ns{0};  // begin of the receive
  ActionTime taken{};         // the call that completed it: the receive, or the wait
  bool is_blocking_send{false};
  bool is_answered{false};  // the send lasted until an answer had come back (Mark::answered)
};

/// Matches sends with receives in order, as the simulation does, and calls `use` for each message, except
/// partial receives. Messages with the same sender, receiver, group and tag come in order.
void for_each_message(const RecordedProgram& recorded, const std::function<void(const MessageSample&)>& use);
/// Returns at most `most` messages, spread evenly over the recording.
std::vector<MessageSample> message_samples(const RecordedProgram& recorded, std::size_t most = 1U << 20);

/// One collective operation: its duration from the begin of its last member, divided by its number of steps.
struct GroupSample {
  std::uint64_t bytes{0};  // of a step
  double step_ns{0};
};
std::vector<GroupSample> group_samples(const RecordedProgram& recorded, std::size_t most = 1U << 20);

}  // namespace eventspace::whatif

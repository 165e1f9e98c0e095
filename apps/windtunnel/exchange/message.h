// What workers tell `main` through their path `result`: tuples (int thread, int step, bytes), where the bytes
// are packed numbers (packing.h), the first of which is the kind of the message.
//
// A worker sends, in this order: one Hello, a FramePart for each picture, one SliceResult; and the last
// worker of a process to end sends one ProcessReport. Even the largest message, a whole tunnel's FramePart,
// has less than 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "apps/windtunnel/gas/field.h"
#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/gas/totals.h"
#include "tuplespace/tuple.h"

namespace eventspace::windtunnel {

// The settings that the worker's process was started with.
struct Hello {
  Settings settings;
};

// The worker's part of a picture.
struct FramePart {
  Field field;
};

// The worker's slice, at the end.
struct SliceResult {
  Totals before;  // the first step
  Totals after;   // the last one
  Throughput flow;
  std::uint64_t checksum = 0;
};

struct ProcessReport {
  std::uint64_t process = 0;      // its number in the plan
  std::uint64_t nanoseconds = 0;  // from its first worker's first step to its last one's last
  std::uint64_t recorded = 0;     // events
  std::uint64_t discarded = 0;
};

using Message = std::variant<Hello, FramePart, SliceResult, ProcessReport>;

// Who says it, after how many steps.
struct Sender {
  std::size_t thread = 0;
  std::uint64_t steps_done = 0;
};

Tuple to_tuple(const Sender& sender, const Message& message);

Sender sender_of(const Tuple& tuple);

// Throws std::invalid_argument or ConfigurationError if the tuple holds no message.
Message message_of(const Tuple& tuple, const TunnelConfig& config);

}  // namespace eventspace::windtunnel

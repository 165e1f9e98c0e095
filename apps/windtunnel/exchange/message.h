// The messages of workers to `main` through their path `result`: tuples (int thread, int step, bytes), where
// the bytes are packed numbers (packing.h), the first of which is the kind of the message.
//
// A worker sends, in this order: one Hello, a FramePart for each picture, one SliceResult. The last worker of
// a process to end also sends one ProcessReport. The largest message, a FramePart of a whole tunnel, has less
// than 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include <eventspace/tuple.h>
#include "apps/windtunnel/gas/field.h"
#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/gas/totals.h"

namespace eventspace::windtunnel {

// The settings with which the worker's process was started.
struct Hello {
  Settings settings;
};

// The worker's cells of a picture.
struct FramePart {
  Field field;
};

// The final state of the worker's slice.
struct SliceResult {
  Totals before;  // before the first step
  Totals after;   // after the last one
  Throughput flow;
  std::uint64_t checksum = 0;
};

struct ProcessReport {
  std::uint64_t process = 0;      // number in the plan
  std::uint64_t nanoseconds = 0;  // from the first step of its first worker to the last step of its last
  std::uint64_t recorded = 0;     // events, as is the next
  std::uint64_t discarded = 0;
};

using Message = std::variant<Hello, FramePart, SliceResult, ProcessReport>;

// The worker that sends a message, and its number of steps.
struct Sender {
  std::size_t thread = 0;
  std::uint64_t steps_done = 0;
};

Tuple to_tuple(const Sender& sender, const Message& message);

Sender sender_of(const Tuple& tuple);

// Throws std::invalid_argument or ConfigurationError if the tuple does not contain a valid message.
Message message_of(const Tuple& tuple, const TunnelConfig& config);

}  // namespace eventspace::windtunnel

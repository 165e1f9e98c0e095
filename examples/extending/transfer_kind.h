#pragma once

#include <cstdint>

#include "collectors/event_collector.h"

// The template of an event kind (docs/extending.md): transfers of data to a device, and back.
namespace example {

/// A number that EventSpace's kinds do not use; it is part of the record format.
inline constexpr std::uint8_t transfer_kind = 200;

/// The classes of transfers, each of which can be switched off.
enum class TransferClass : std::uint8_t { to_device = 1, from_device = 2 };

/// Adds the kind and its fields to the vocabulary. Call it at program start, before a pathmap is read.
void add_transfer_kind();

/// Records the transfers of one thread in their own trace element. Never waits, allocates, makes a system
/// call or fails. Used by one thread at a time; `thread` and the writer's memory must outlive it.
///
///     if (recorder.begin(TransferClass::to_device, 3)) { ...; recorder.end(bytes); }
class TransferRecorder {
 public:
  TransferRecorder(eventspace::TraceWriter writer, eventspace::CollectorIdentity identity,
                   const eventspace::RecordedThread& thread, const eventspace::Clock& clock) noexcept
      : writer_(writer), identity_(identity), thread_(&thread), clock_(&clock) {}

  /// Begins a transfer, which monitors then see in flight. Returns whether it is recorded: end() is called
  /// only then.
  [[nodiscard]] bool begin(TransferClass of, std::uint32_t device) noexcept;
  void end(std::uint64_t bytes) noexcept;

 private:
  eventspace::TraceWriter writer_;
  eventspace::CollectorIdentity identity_;
  const eventspace::RecordedThread* thread_;
  const eventspace::Clock* clock_;
};

}  // namespace example

#include "collectors/event_collector.h"

namespace eventspace {

void EventCollector::begin(Operation& operation) {
  recording_ = enabled_->load(std::memory_order_relaxed);
  if (recording_) {
    writer_.begin(clock_->now(), thread_path_,
                  what_ | static_cast<std::uint64_t>(operation.verb) |
                      (static_cast<std::uint64_t>(operation.from) << 8));
  }
  next().begin(operation);
}

void EventCollector::finish(Operation& operation) {
  next().finish(operation);
  if (!recording_) return;
  const auto bytes = static_cast<std::uint32_t>(operation.tuple.encoded().size());
  writer_.end(clock_->now(), record_words::outcome(bytes, operation.status, operation.missed),
              operation.sequence, virtual_time_->value);
}

}  // namespace eventspace

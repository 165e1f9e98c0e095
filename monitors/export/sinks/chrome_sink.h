#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes the JSON of chrome://tracing, which other viewers also read: complete events ("X"), instants,
/// counters, arrows for messages. Times are microseconds since recording began, with three decimals: with
/// times since 1970, readers in JavaScript would lose the nanoseconds, and with them slices. A lane is a
/// separate thread, because slices of one thread must be nested. `file` exists and is empty.
std::unique_ptr<Sink> chrome_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

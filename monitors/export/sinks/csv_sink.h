#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes a line for each event, with the columns of `eventspace events --apart --format csv`; the columns
/// for times at the element are empty, because each record is a separate line. `start_here_ns` and `error_ns`
/// are on the clock that all events of the recording share. Events in flight lack a duration. Losses are not
/// written. `file` exists and is empty.
std::unique_ptr<Sink> csv_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

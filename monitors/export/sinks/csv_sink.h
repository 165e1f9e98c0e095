#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes a line for each event, with the columns of `eventspace events --apart --format csv`; those for the
/// times at the element are empty, as each record is a line of its own. `start_here_ns` and `error_ns` are on
/// the clock that all events of the recording share. Events in flight have no duration. Losses are not in it.
/// `file` exists and is empty.
std::unique_ptr<Sink> csv_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes a database of SQLite. Tables have numbers where names repeat; views have the names, and answer
/// questions (docs/recordings.md):
///
///     table  recording, text, track, slice, message_end, counter, lost
///     view   events, messages, operations, collective_operations, losses
///
/// `slice` has a column for each stored field of the vocabulary. `file` exists and is empty.
std::unique_ptr<Sink> sqlite_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes an SQLite database. Tables have numbers in place of repeated names; views have the names, for
/// queries (docs/recordings.md):
///
///     table  recording, text, track, slice, message_end, counter, lost
///     view   events, messages, operations, collective_operations, losses
///
/// `slice` has a column for each stored field of the vocabulary. `file` exists and is empty.
std::unique_ptr<Sink> sqlite_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

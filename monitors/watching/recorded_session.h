#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/text/json.h"
#include "monitors/watching/watched.h"

namespace eventspace {

/// Opens a recording, which may come from anywhere, and makes its plan. Says on standard error if the file is
/// damaged. Throws EnvironmentError if it cannot be read; ConfigurationError if it is not of `session`,
/// unless that is empty; FaultyPathmap if its pathmap has faults.
Watched open_recorded(const std::filesystem::path& file, const std::string& session,
                      RecordingReader::Check check = RecordingReader::Check::bounded);

/// The damaged places of a recording, as docs/json.md has them.
Json places_of(const RecordingReader& recording);
/// Prints what is damaged in a recording as a line of JSON, before all others. Nothing in another format, of
/// a session that runs, or of a recording that is not damaged.
void print_damage(const Watched& watched, Format format);

}  // namespace eventspace

#pragma once

#include <filesystem>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/text/json.h"
#include "monitors/watching/watched.h"

namespace eventspace {

/// Opens a recording, which is not trusted, and makes its plan. Prints on standard error if the file is
/// damaged. Throws EnvironmentError if it cannot be read; ConfigurationError if it is not of `session`,
/// unless that is empty; FaultyPathmap if its pathmap has faults.
Watched open_recorded(const std::filesystem::path& file, const std::string& session,
                      RecordingReader::Check check = RecordingReader::Check::bounded);

/// The damaged places of a recording, in the form of docs/json.md.
Json places_of(const RecordingReader& recording);
/// Prints the damage of a recording as a line of JSON, before all other lines. No effect in other formats,
/// for a running session, and for an undamaged recording.
void print_damage(const Watched& watched, Format format);

}  // namespace eventspace

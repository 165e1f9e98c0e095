#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes an archive of the Open Trace Format 2, in a new directory `place`, with the library of that name. A
/// track is a location, a process a group of locations, a node a node of the system tree; slices are Enter
/// and Leave of regions, with the fields of their events as attributes. Messages of MPI, and collective
/// operations, have their own records, on communicators whose members are known; where events were lost,
/// measurement is off.
///
/// Events are kept in a temporary file beside `place` until all are known, and are then written location by
/// location (otf2_events.h), so that memory grows neither with them nor, but for 32 KiB each, with the
/// tracks.
std::unique_ptr<Sink> otf2_sink(const std::filesystem::path& place);

}  // namespace eventspace::exports

#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes an archive of the Open Trace Format 2, in a new directory `place`, with the library of that name. A
/// track is a location, a process a group of locations, a node a node of the system tree; slices are Enter
/// and Leave of regions, with the fields of their events as attributes. MPI messages and collective
/// operations have special records, on communicators whose members are known; where events were lost,
/// measurement is off.
///
/// Events are kept in a temporary file beside `place` until all are known, and are then written location by
/// location (otf2_events.h), so that memory does not grow with the events, and only by 32 KiB per track.
std::unique_ptr<Sink> otf2_sink(const std::filesystem::path& place);

}  // namespace eventspace::exports

#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes a trace of the Common Trace Format 1.8 in a new directory `place`: the files `metadata` and
/// `events`, one stream with the events of all threads in the order of time. Each event says which thread it
/// is of; a slice has two events. Records that were lost are counted in `events_discarded` of the packets, so
/// that readers warn of them, and are events of their own.
std::unique_ptr<Sink> ctf_sink(const std::filesystem::path& place);

}  // namespace eventspace::exports

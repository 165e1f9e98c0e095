#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes a trace of the Common Trace Format 1.8 in a new directory `place`: the files `metadata` and
/// `events`, one stream with the events of all threads in the order of time. Each event names its thread; a
/// slice has two events. Lost records are counted in `events_discarded` of the packets, so that readers warn
/// about them, and also appear as events.
std::unique_ptr<Sink> ctf_sink(const std::filesystem::path& place);

}  // namespace eventspace::exports

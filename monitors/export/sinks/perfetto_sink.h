#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Writes the format of https://ui.perfetto.dev: a sequence of packets in Protocol Buffers
/// (`perfetto.protos.Trace`). Tracks are nested: node, process, thread; a further lane is a track of the same
/// name. Slices have the fields of their events as arguments, an arrow leads from a send to its receive, and
/// losses are instants named "lost events". `file` exists and is empty.
std::unique_ptr<Sink> perfetto_sink(const std::filesystem::path& file);

}  // namespace eventspace::exports

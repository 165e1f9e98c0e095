#pragma once

#include <filesystem>
#include <memory>

#include "monitors/export/reading/model.h"

// The template of an export format (docs/extending.md): a line for each event.
namespace example {

/// Writes "BEGIN_NS DURATION_NS THREAD NAME" for each event, in the order of their begins, and at the end a
/// line "# COUNT events" and the missing events.
std::unique_ptr<eventspace::exports::Sink> lines_sink(const std::filesystem::path& file);

}  // namespace example

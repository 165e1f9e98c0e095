#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// A format to which recordings are exported. To add one: write a sink, and an entry in formats.cpp.
struct ExportFormat {
  std::string_view name;
  std::string_view help;    ///< a few words, without a full stop
  std::string_view suffix;  ///< of the default output name
  /// Name of a file that marks an output directory; empty if the output is one file.
  std::string_view marker{};
  bool is_streamed{false};  ///< can be written to a pipe
  /// Null if EventSpace was built without the library; `needs` names its Debian package.
  std::unique_ptr<Sink> (*make)(const std::filesystem::path& place){nullptr};
  std::string_view needs{};
};

/// All formats, in the order in which help lists them.
std::span<const ExportFormat> export_formats();
/// Throws ConfigurationError with the known formats for an unknown name; EnvironmentError with the missing
/// library if this build cannot write the format.
const ExportFormat& require_format(std::string_view name);

}  // namespace eventspace::exports

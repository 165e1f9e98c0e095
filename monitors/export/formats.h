#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// A format to which recordings are exported. To add one: write a sink, and an entry in formats.cpp.
struct ExportFormat {
  std::string_view name;
  std::string_view help;    ///< a few words, without a full stop
  std::string_view suffix;  ///< of the name of the output, if none is given
  /// The output is a directory, which has this file; empty: it is one file.
  std::string_view marker{};
  bool is_streamed{false};  ///< can be written to a pipe
  /// Null if the library was not there when EventSpace was built: `needs` names its Debian package.
  std::unique_ptr<Sink> (*make)(const std::filesystem::path& place){nullptr};
  std::string_view needs{};
};

/// All formats, in the order in which help lists them.
std::span<const ExportFormat> export_formats();
/// Throws ConfigurationError, which lists the formats, if there is none of this name; EnvironmentError, which
/// says what is missing, if this build cannot write it.
const ExportFormat& require_format(std::string_view name);

}  // namespace eventspace::exports

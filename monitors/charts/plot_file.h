#pragma once

#include <filesystem>
#include <string_view>

#include "monitors/charts/picture.h"

namespace eventspace {

/// Throws ConfigurationError, with the possible forms, if a plot cannot be written to a file of this name,
/// the value of `option`.
void check_plot_file(const std::filesystem::path& file, std::string_view option = "--plot");

/// Writes the picture in the format of the extension: .svg itself, .png, .pdf and .dot as render_graph(),
/// whose errors it throws. On failure, `file` is unchanged.
void write_plot(const Picture& picture, const std::filesystem::path& file);

}  // namespace eventspace

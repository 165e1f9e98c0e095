#include "monitors/charts/plot_file.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <system_error>

#include <eventspace/error.h>
#include "monitors/drawing/graphviz.h"

namespace eventspace {

void check_plot_file(const std::filesystem::path& file, std::string_view option) {
  const std::string extension = file.extension().string();
  if (extension != ".svg" && extension != ".png" && extension != ".pdf" && extension != ".dot")
    throw ConfigurationError(fmt::format(
        "{} '{}': expected a file name that ends with .svg, .png, .pdf or .dot", option, file.string()));
  const std::filesystem::path folder = file.parent_path();
  std::error_code none;
  if (!folder.empty() && !std::filesystem::is_directory(folder, none))
    throw ConfigurationError(
        fmt::format("{} '{}': there is no directory {}", option, file.string(), folder.string()));
}

void write_plot(const Picture& picture, const std::filesystem::path& file) {
  if (file.extension() == ".svg") return write_whole_file(picture.svg(), file);
  render_graph(picture.dot(), file, std::chrono::seconds(60));
}

}  // namespace eventspace

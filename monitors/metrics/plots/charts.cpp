#include "monitors/metrics/plots/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include <eventspace/error.h>
#include "monitors/metrics/plots/chart_frame.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

using Draw = void (*)(Picture&, double, const PlotData::Metric&);

Draw drawing_of(ChartForm form) {
  switch (form) {
    case ChartForm::curves:
      return draw_curves;
    case ChartForm::bars:
      return draw_bars;
    case ChartForm::pie:
      return draw_pie;
    case ChartForm::histogram:
      return draw_histogram;
    case ChartForm::matrix:
      return draw_matrix;
  }
  return draw_curves;
}

}  // namespace

Picture draw_charts(const PlotData& data, ChartForm form) {
  constexpr double foot = 30;
  const auto& all = data.metrics();
  const std::size_t shown = std::min(all.size(), max_charts);
  const std::size_t more = all.size() - shown;
  Picture picture(chart_width, chart_height * static_cast<double>(std::max<std::size_t>(shown, 1)) +
                                   (more > 0 ? foot : 0));
  for (std::size_t i = 0; i < shown; ++i) {
    const double top = chart_height * static_cast<double>(i);
    if (all[i].series.empty()) {
      draw_title(picture, top, all[i]);
      draw_nothing(picture, top, "no value");
    } else {
      drawing_of(form)(picture, top, all[i]);
    }
  }
  if (all.empty()) draw_nothing(picture, 0, "no value");
  if (more > 0)
    picture.words({chart_width / 2, picture.height() - foot / 2}, Picture::Anchor::middle,
                  fmt::format("and {}", counted(more, "metric")));
  return picture;
}

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

}  // namespace eventspace

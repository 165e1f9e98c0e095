#include "monitors/charts/chart.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include <eventspace/error.h>
#include "monitors/charts/matrix_chart.h"
#include "monitors/charts/pie_chart.h"
#include "monitors/charts/plot_file.h"
#include "tests/lines.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using test::times_in;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Chart, MarksAreInTheUnitsOfTheAxes) {
  Picture picture(chart_width, chart_height);
  Chart chart(picture, "load", Chart::bars(2), {"%", {0, 100}});
  chart.bar({0, 0}, {1, 50}, bar_colour);
  chart.name(0.5, "n1");
  // The axes lie between 90 and 790, and between 60 and 350.
  EXPECT_THAT(picture.svg(),
              AllOf(HasSubstr("points=\"90.00,350.00 440.00,350.00 440.00,205.00 90.00,205.00\""),
                    HasSubstr(">load<"), HasSubstr(">100<"), HasSubstr(">n1<")));
}

TEST(Chart, AnAxisOfBarsHasNoNumbers) {
  Picture picture(chart_width, chart_height);
  const Chart chart(picture, "", Chart::bars(7), Chart::bars(0));
  EXPECT_THAT(picture.svg(), AllOf(Not(HasSubstr("<polyline")), Not(HasSubstr("<text"))));
}

TEST(Chart, ACurveOfOnePointIsADot) {
  Picture picture(chart_width, chart_height);
  Chart chart(picture, "", Chart::bars(1), Chart::bars(1));
  chart.curve({}, {});
  chart.curve({{0.5, 0.5}}, {});
  EXPECT_THAT(picture.svg(), AllOf(HasSubstr("<circle"), Not(HasSubstr("<polyline"))));
}

TEST(Matrix, ColoursAreByTheLogarithmIfAsked) {
  Matrix matrix{.rows = {"a"}, .columns = {"x", "y", "z"}};
  matrix.cells = {{0, 0, 1000, "1 k"}, {0, 1, 100, "100"}, {0, 2, 10, "10"}};
  const auto drawn = [&] {
    Picture picture(chart_width, chart_height);
    draw_matrix(picture, "bytes", matrix);
    return picture.svg();
  };
  EXPECT_THAT(drawn(), AllOf(HasSubstr("fill=\"#3265ff\""), HasSubstr("fill=\"#ebf0ff\""),
                             Not(HasSubstr("logarithmic"))));
  matrix.is_logarithmic = true;
  EXPECT_THAT(drawn(),
              AllOf(HasSubstr("fill=\"#3265ff\""), HasSubstr("fill=\"#8eaaff\""), HasSubstr("logarithmic")));
  EXPECT_EQ(times_in(drawn(), ">10<"), 2U) << "in the cell, and in the key";
}

TEST(Matrix, CellsHaveRoomForTheirTexts) {
  Matrix matrix;
  for (int i = 0; i < 64; ++i) {
    matrix.rows.push_back(std::to_string(i));
    matrix.columns.push_back(std::to_string(i));
  }
  matrix.cells = {{3, 5, 1, "12.3 MiB"}};
  const ChartRoom room = room_for_texts(matrix, 8);
  Picture picture(room.width, room.height);
  draw_matrix(picture, "", matrix, room);
  EXPECT_EQ(times_in(picture.svg(), ">12.3 MiB<"), 2U) << "in the cell, and in the key";
}

TEST(Pie, SlicesWithoutAShareAreLeftOut) {
  Picture picture(chart_width, chart_height);
  draw_pie(picture, 0, "time", {{"a", 3}, {"b", 0}, {"c", 1}}, "s");
  EXPECT_THAT(picture.svg(), AllOf(HasSubstr("(75.0 %)"), HasSubstr("(25.0 %)"), Not(HasSubstr(">b "))));
}

TEST(PlotFile, HasAnExtensionThatCanBeWritten) {
  EXPECT_NO_THROW(check_plot_file("a.png"));
  EXPECT_THROW(check_plot_file("a.gif"), ConfigurationError);
  EXPECT_THROW(check_plot_file("png"), ConfigurationError);
  EXPECT_THROW(check_plot_file("/nowhere/a.png"), ConfigurationError);
}

TEST(PlotFile, SvgNeedsNoOtherProgram) {
  const test::TemporaryDirectory directory;
  Picture picture(20, 10);
  picture.circle({5, 5}, 2, "#000000", "a<b");
  const auto file = directory.path() / "a.svg";
  write_plot(picture, file);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("<title>a&lt;b</title>"), HasSubstr("</svg>")));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, ElementsAre("a.svg"));
  EXPECT_THROW(write_plot(picture, directory.path() / "none" / "a.svg"), EnvironmentError);
}

}  // namespace
}  // namespace eventspace

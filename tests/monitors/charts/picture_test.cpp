#include "monitors/charts/picture.h"

#include <gmock/gmock.h>

#include "monitors/charts/round_axis.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Picture, CountsFromTheTop) {
  Picture picture(200, 100);
  picture.line({{0, 0}, {200, 100}}, {"#ff0000", 2});
  EXPECT_THAT(picture.dot(),
              AllOf(HasSubstr("bb=\"0,0,200,100\""),
                    HasSubstr("c 7 -#ff0000 S 5 -solid S 18 -setlinewidth(2.00) L 2 0.00 100.00 "
                              "200.00 0.00 ")));
}

TEST(Picture, SvgIsDrawnFromTheSameCalls) {
  Picture picture(200, 100);
  picture.line({{0, 0}, {200, 100}}, {"#ff0000", 2, true});
  picture.words({10, 20}, Picture::Anchor::end, "a<b & \x1b", 11);
  EXPECT_THAT(picture.svg(),
              AllOf(HasSubstr("viewBox=\"0 0 200 100\""),
                    HasSubstr("<polyline points=\"0.00,0.00 200.00,100.00\" fill=\"none\" stroke=\"#ff0000\" "
                              "stroke-width=\"2.00\" stroke-dasharray"),
                    HasSubstr("text-anchor=\"end\" font-size=\"11.0\" fill=\"#000000\">a&lt;b &amp; "),
                    Not(HasSubstr("\x1b"))));
}

TEST(Picture, WordsCannotLeaveTheirAttribute) {
  Picture picture(200, 100);
  picture.words({10, 10}, Picture::Anchor::start, "a\\\"b\x1b]; c");
  const std::string dot = picture.dot();
  EXPECT_THAT(dot, AllOf(HasSubstr("-a/\\\"b"), Not(HasSubstr("\x1b")), Not(HasSubstr("\\\\"))));
}

TEST(RoundAxis, HasRoundStepsAroundTheValues) {
  EXPECT_THAT(RoundAxis(0, 9.3).steps(), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(RoundAxis(-3, 4).steps(), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_EQ(RoundAxis(0, 0.013).label(0.005), "0.005");
  EXPECT_EQ(RoundAxis(0, 5e9).label(2e9), "2e+09");
  EXPECT_EQ(RoundAxis(0, 3e-9).label(1e-9), "1e-09");
}

TEST(RoundAxis, HasRoomAroundASingleValue) {
  for (const double value : {0.0, 7.0, -7.0, 1e300}) {
    const RoundAxis axis(value, value);
    EXPECT_LT(axis.least, axis.most) << value;
    EXPECT_GE(axis.share(value), 0.0) << value;
    EXPECT_LE(axis.share(value), 1.0) << value;
  }
}

}  // namespace
}  // namespace eventspace

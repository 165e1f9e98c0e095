#include "monitors/text/plain_output.h"

#include <gtest/gtest.h>

#include <sstream>

#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/drawing/dot_text.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

TEST(PlainOutput, EscapesWhatIsWrittenWhileItExists) {
  std::ostringstream out;
  {
    const PlainOutput plain(out);
    out << "one\n"
        << "\x1b[2J" << '\a' << 7 << '\n';
  }
  out << '\t';
  EXPECT_EQ(out.str(), "one\n\\u001b[2J\\u00077\n\t");
}

TEST(PlainOutput, ACharacterMayComeInPieces) {
  std::ostringstream out;
  {
    const PlainOutput plain(out);
    for (const char byte : std::string("\xe2\x96\x88 \xc2\x9b \xe2\x96 ")) out << byte << std::flush;
    out << '\xe2' << '\x96';
  }
  EXPECT_EQ(out.str(), "\xe2\x96\x88 \\u009b \\xe2\\x96 \\xe2\\x96");
}

TEST(PlainOutput, ControlSequencesOfTheProgramPass) {
  std::ostringstream out;
  const PlainOutput plain(out);
  write_control(out, "\r\x1b[K");
  out << "\r";
  EXPECT_EQ(out.str(), "\r\x1b[K\\u000d");
  std::ostringstream other;
  write_control(other, "\r");
  EXPECT_EQ(other.str(), "\r");
}

TEST(PlainOutput, AStreamThatFailsStaysFailed) {
  std::ostringstream out;
  out.setstate(std::ios_base::badbit);
  {
    const PlainOutput plain(out);
    EXPECT_FALSE(out << "x");
  }
  EXPECT_FALSE(out);
}

TEST(PlainOutput, NoValueOfATableBeginsALine) {
  ResultTable table({"name", "more"});
  table.add({"a\nb\x1b", "c,\u202e"});
  for (const auto& [format, text] :
       {std::pair(Format::text, "name        more\na\\nb\\u001b  c,\\u202e\n"),
        std::pair(Format::csv, "name,more\na\\nb\\u001b,\"c,\\u202e\"\n"),
        std::pair(Format::json, "{\"name\":\"a\\nb\\u001b\",\"more\":\"c,\\u202e\"}\n")}) {
    std::ostringstream out;
    table.print(out, format);
    EXPECT_EQ(out.str(), text);
  }
}

TEST(PlainOutput, AGraphHasNeitherControlCharactersNorReferencesToThem) {
  DotText dot({"a\x1b\""}, DotText::Growth::down);
  dot.node("n\\\x9b", {{"label", "x&#27;\ny\a"}});
  EXPECT_NE(dot.text().find(R"("a\\u001b\"")"), std::string::npos) << dot.text();
  EXPECT_NE(dot.text().find(R"("n\\\\x9b" [label="x&amp;#27;\ny\\u0007"])"), std::string::npos) << dot.text();
}

}  // namespace
}  // namespace eventspace

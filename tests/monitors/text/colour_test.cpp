#include "monitors/text/colour.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <sstream>

#include "monitors/cli/colour_option.h"
#include "monitors/text/plain_output.h"
#include "tests/error_text.h"

namespace eventspace {
namespace {

/// Sets the variables that colours depend on, and restores them.
class ColourTest : public testing::Test {
 protected:
  ColourTest() { set("xterm-256color", nullptr); }
  ~ColourTest() override { set(term_.c_str(), no_colour_.empty() ? nullptr : no_colour_.c_str()); }

  static void set(const char* term, const char* no_colour) {
    ::setenv("TERM", term, 1);
    no_colour == nullptr ? ::unsetenv("NO_COLOR") : ::setenv("NO_COLOR", no_colour, 1);
  }
  static std::string now(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

 private:
  const std::string term_ = now("TERM");
  const std::string no_colour_ = now("NO_COLOR");
};

TEST_F(ColourTest, ATerminalHasColoursUnlessItsNameOrNoColorSaysOtherwise) {
  EXPECT_TRUE(terminal_has_colour());
  set("xterm-256color", "1");
  EXPECT_FALSE(terminal_has_colour());
  set("xterm-256color", "");  // set, but empty
  EXPECT_TRUE(terminal_has_colour());
  for (const char* plain : {"", "dumb", "vt100", "xterm-mono"}) {
    set(plain, nullptr);
    EXPECT_FALSE(terminal_has_colour()) << plain;
  }
}

TEST_F(ColourTest, AlwaysAndNeverIgnoreTheEnvironment) {
  set("dumb", "1");
  EXPECT_TRUE(wants_colour(ColourUse::always));
  set("xterm", nullptr);
  EXPECT_FALSE(wants_colour(ColourUse::never));
}

TEST_F(ColourTest, TheOptionTakesThreeWordsAndNamesThemToOthers) {
  CLI::App app;
  ColourUse use{ColourUse::automatic};
  add_colour(app, use);
  app.parse("--color always");
  EXPECT_EQ(use, ColourUse::always);
  EXPECT_EQ(test::error_text<CLI::ParseError>([&] { app.parse("--color blue"); }),
            "--color: found 'blue'; expected auto, always, never");
}

TEST_F(ColourTest, TextFromOutsideIsEscapedInsideOfTheColour) {
  std::ostringstream out;
  {
    const PlainOutput plain(out);
    write_toned(out, "t1\x1b[2J", Tone::bad, true);
    write_toned(out, " t2", Tone::bad, false);
  }
  EXPECT_EQ(out.str(), "\x1b[1;31mt1\\u001b[2J\x1b[0m t2");
}

}  // namespace
}  // namespace eventspace

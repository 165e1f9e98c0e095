#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/manual/completion.h"
#include "monitors/manual/man_page.h"
#include "monitors/manual/options_markdown.h"
#include "monitors/manual/text_file.h"
#include "monitors/manual/words_command.h"
#include "monitors/servers/find_program.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

// Manual pages, docs/commands.md and completion, which are generated from the table of commands. They are
// checked with the programs that read them, where these are installed.

namespace eventspace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;
using testing_commands::all_pages;
using testing_commands::lines_of;
using testing_commands::test_build;
using Words = std::vector<std::string>;

struct Ran {
  int status;
  std::string out;
};

// Includes its standard error.
Ran run_shell(const std::string& command) {
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string out;
  std::array<char, 4096> bytes{};
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe))
    out.append(bytes.data(), count);
  return {::pclose(pipe), out};
}

class Manual : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return directory_.path() / name; }

 private:
  test::TemporaryDirectory directory_;
};

// --- manual pages ------------------------------------------------------------------------------------------

TEST(Roff, TextsContainNoRequestsOrEscapes) {
  EXPECT_EQ(roff("a\\b --once"), "a\\eb \\-\\-once");
  EXPECT_EQ(roff(".SH x"), "\\&.SH x");
  EXPECT_EQ(roff("'quoted'"), "\\&'quoted'");
  EXPECT_EQ(roff("see `up`"), "see \\fBup\\fR");
}

TEST_F(Manual, HasAPageForTheProgramAndForEachCommand) {
  write_man_pages(file("man1"), all_pages(), test_build);
  const std::string program = read_text_file(file("man1") / "eventspace.1");
  for (const CommandPage& page : all_pages()) {
    if (page.is_hidden) continue;
    EXPECT_THAT(program, HasSubstr(roff("eventspace-" + page.name)));
    const std::string text = read_text_file(file("man1") / ("eventspace-" + page.name + ".1"));
    for (const OptionPage& option : page.options) EXPECT_THAT(text, HasSubstr(roff(option.form())));
    for (const CommandExample& example : page.guide.examples)
      EXPECT_THAT(text, HasSubstr(roff(example.line)));
  }
}

TEST_F(Manual, HasPagesThatMandocAndGroffReadWithoutAWarning) {
  write_man_pages(file("man1"), all_pages(), test_build);
  const std::string pages = file("man1").string() + "/*.1";
  bool is_read = false;
  if (find_program("mandoc")) {
    const Ran ran = run_shell("mandoc -Tlint -W warning " + pages);
    EXPECT_EQ(ran.out, "");
    is_read = true;
  }
  if (find_program("groff")) {
    const Ran ran = run_shell("groff -man -ww -z -Tascii " + pages);
    EXPECT_EQ(ran.out, "");
    is_read = true;
  }
  if (!is_read) GTEST_SKIP() << "neither mandoc nor groff is installed";
}

// --- docs/commands.md
// ----------------------------------------------------------------------------------------

TEST(CommandsPage, IsUpToDate) {
  const std::string text = read_text_file(SOURCE_DIR "/docs/commands.md");
  EXPECT_EQ(text, with_options(text, all_pages())) << "docs/commands.md is out of date; run scripts/docs";
}

const std::string marked =
    "## Up and down\n<!-- options of x -->\nold\n<!-- end -->\nrest\n"
    "<!-- commands -->\nold\n<!-- end -->\n";

CommandPage page_named(const std::string& name) {
  CommandPage page{name, "Does something", {CommandGroup::watching}, false, {"eventspace " + name}, {}, {},
                   {}};
  page.options.push_back({{"--on"}, "{a,b}", "Which", "a", "", {"a", "b"}, {}, false, false});
  return page;
}

TEST(OptionsMarkdown, ReplacesTheTextBetweenTheMarks) {
  const std::string text = with_options(marked, {page_named("x")});
  EXPECT_THAT(text, Not(HasSubstr("old")));
  EXPECT_THAT(text, HasSubstr("\n- `--on {a,b}`: Which (default: a)\n"));
  EXPECT_THAT(text, HasSubstr("\n- [`x`](#up-and-down): Does something\n"));
  EXPECT_THAT(text, HasSubstr("<!-- end -->\nrest\n"));
  EXPECT_EQ(with_options(text, {page_named("x")}), text);
}

TEST(OptionsMarkdown, DescribesSharedOptionsOnce) {
  const std::string shared = "## Of all\n<!-- shared options: Common options -->\n<!-- end -->\n";
  CommandPage page = page_named("x");
  page.options.push_back({{"--quiet"}, "", "Be quiet", "", "", {}, {}, false, false, "Common options"});
  const std::string text = with_options(shared + marked, {page});
  EXPECT_THAT(text, HasSubstr("## Of all\n<!-- shared options: Common options -->\n\n"
                              "- `--quiet`: Be quiet\n<!-- end -->\n"));
  EXPECT_THAT(text, HasSubstr("\nOther options: [`--quiet`](#of-all).\n"));
  EXPECT_EQ(text.find("Be quiet"), text.rfind("Be quiet"));
  EXPECT_THAT(with_options(marked, {page}), HasSubstr("- `--quiet`: Be quiet\n")) << "without such a section";
}

TEST(OptionsMarkdown, RefersToAnEarlierCommandWithTwoOfTheSameOptions) {
  const std::string second = "## Down\n<!-- options of y -->\n<!-- end -->\n";
  CommandPage first = page_named("x");
  CommandPage page = page_named("y");
  const auto add_to_both = [&](const std::string& name, const std::string& meaning) {
    for (CommandPage* each : {&first, &page})
      each->options.push_back({{name}, "", meaning, "", "", {}, {}, false, false});
  };
  EXPECT_THAT(with_options(marked + second, {first, page}), Not(HasSubstr("as [`x`]")));
  add_to_both("--two", "The second");
  page.options.front().otherwise = "b";
  const std::string text = with_options(marked + second, {first, page});
  EXPECT_THAT(text, HasSubstr("\nOptions: as [`x`](#up-and-down): `--on` (default: b), `--two`.\n"));
  EXPECT_EQ(text.find("The second"), text.rfind("The second"));
  page.options.back().text = "Another second";
  EXPECT_THAT(with_options(marked + second, {first, page}), HasSubstr("- `--two`: Another second\n"));
}

TEST(OptionsMarkdown, LeavesOutCommonExitStatusesAndExamplesAfterTheFirst) {
  CommandPage page = page_named("x");
  page.statuses = {{exit_fine, "success"}, {exit_unreachable, "no moon"}};
  page.guide.examples = {{"x one", "first"}, {"x two", "second"}};
  const std::string text = options_markdown(page, {});
  EXPECT_THAT(text, HasSubstr("\nExit status: 3 (no moon).\n"));
  EXPECT_THAT(text, HasSubstr("    eventspace x\n    $ x one\n"));
  EXPECT_THAT(text, Not(HasSubstr("x two")));
  page.statuses = exit_status_meanings();
  EXPECT_THAT(options_markdown(page, {}), Not(HasSubstr("Exit status")));
}

TEST(OptionsMarkdown, NamesACommandWithoutAPlace) {
  EXPECT_THROW(with_options(marked, {page_named("y")}), ConfigurationError);
  EXPECT_THROW(with_options(marked, {page_named("x"), page_named("y")}), ConfigurationError);
  EXPECT_THROW(with_options("<!-- options of x -->\n", {page_named("x")}), ConfigurationError);
}

// --- completion
// ------------------------------------------------------------------------------------------------

/// The completions that bash proposes for the last word of a command line.
class BashCompletion : public Manual {
 protected:
  Words of(const Words& words) {
    std::string script = before_ + completion_script(Shell::bash, all_pages()) + "COMP_WORDS=(";
    for (const std::string& word : words) script += " '" + word + "'";
    script += fmt::format(")\nCOMP_CWORD={}\n_eventspace\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
                          words.size() - 1);
    write_text_file(file("script"), script);
    return lines_of(run_shell("cd " + file("").string() + " && bash --norc " + file("script").string()).out);
  }

  std::string before_;  ///< commands before the script
};

TEST_F(BashCompletion, CompletesCommands) {
  EXPECT_THAT(of({"eventspace", "he"}), UnorderedElementsAre("heartbeat", "help"));
  EXPECT_THAT(of({"eventspace", "man"}), ElementsAre(""));  // hidden
}

TEST_F(BashCompletion, CompletesTheOptionsOfEachCommand) {
  for (const CommandPage& page : all_pages()) {
    if (page.is_hidden) continue;
    Words names{"--help"};
    for (const OptionPage& option : page.options) names.push_back(option.names.back());
    EXPECT_THAT(of({"eventspace", page.name, "-"}), IsSupersetOf(names)) << page.name;
  }
}

TEST_F(BashCompletion, CompletesValuesInBothForms) {
  EXPECT_THAT(of({"eventspace", "heartbeat", "x.yaml", "--format", ""}), ElementsAre("text", "json", "csv"));
  EXPECT_THAT(of({"eventspace", "heartbeat", "x.yaml", "--format", "=", "j"}), ElementsAre("json"));
  EXPECT_THAT(of({"eventspace", "heartbeat", "x.yaml", "--format", "="}), ElementsAre("text", "json", "csv"));
  EXPECT_THAT(of({"eventspace", "completion", "z"}), ElementsAre("zsh"));
}

TEST_F(BashCompletion, CompletesNamesOfSessionsScopesThreadsAndMetrics) {
  const std::string lines = R"(eventspace() { [ "$1" = words ] && printf '%s\n' "$2 of $3" "other"; })";
  write_text_file(file("names"), lines + "\n");
  before_ = ". " + file("names").string() + "\n";
  EXPECT_THAT(of({"eventspace", "heartbeat", "app", "--scope", "s"}), ElementsAre("scopes of app"));
  EXPECT_THAT(of({"eventspace", "heartbeat", "app", "--threads", "t"}), ElementsAre("threads of app"));
  EXPECT_THAT(of({"eventspace", "heartbeat", "sess"}), ElementsAre("sessions of "));
  EXPECT_THAT(of({"eventspace", "measure", "app", "m"}), Contains("metrics of app"));
  EXPECT_THAT(of({"eventspace", "draw", "app", "--metric", ""}), ElementsAre("metrics of app", "other"));
}

TEST(NamesToComplete, AreThoseOfTheTarget) {
  const std::filesystem::path pathmap = SOURCE_DIR "/pathmaps/examples/windtunnel-four-nodes.yaml";
  EXPECT_THAT(names_to_complete(NamesOf::scopes, pathmap), Contains("heartbeat"));
  EXPECT_THAT(names_to_complete(NamesOf::threads, pathmap), Contains("t17"));
  EXPECT_THAT(names_to_complete(NamesOf::metrics, ""), Contains("Iteration_rate"));
  EXPECT_THAT(names_to_complete(NamesOf::scopes, ""), IsEmpty());
  EXPECT_THAT(names_to_complete(NamesOf::threads, "/does/not/exist.yaml"), IsEmpty());
}

TEST(NamesToComplete, AreThoseOfASessionWithoutAPathmap) {
  const test::TemporaryDirectory directory;
  const test::Variable segments("EVENTSPACE_SHM_DIR", directory.path().string());
  const test::Variable sockets("XDG_RUNTIME_DIR", directory.path().string());
  Session session = Session::open("solver", {.process = "p0"});
  session.thread("worker");
  EXPECT_THAT(names_to_complete(NamesOf::sessions, ""), ElementsAre("solver"));
  EXPECT_THAT(names_to_complete(NamesOf::threads, "solver"), ElementsAre("p0/worker")) << "not the spares";
  EXPECT_THAT(names_to_complete(NamesOf::threads, "solve"), IsEmpty());
}

TEST_F(BashCompletion, CompletesFilesForFileArguments) {
  write_text_file(file("my app.yaml"), "");
  EXPECT_THAT(of({"eventspace", "check", "my"}), ElementsAre("my app.yaml"));
  EXPECT_THAT(of({"eventspace", "draw", "x", "-o", "my"}), ElementsAre("my app.yaml"));
  EXPECT_THAT(of({"eventspace", "heartbeat", "x", "--scope", "my"}), ElementsAre(""));
}

TEST_F(Manual, FishCompletesCommandsOptionsAndValues) {
  if (!find_program("fish")) GTEST_SKIP() << "fish is not installed";
  write_text_file(file("script"), completion_script(Shell::fish, all_pages()) +
                                      "complete -C 'eventspace heartb'\n"
                                      "complete -C 'eventspace heartbeat --unt'\n"
                                      "complete -C 'eventspace heartbeat --format j'\n");
  const Ran ran = run_shell("HOME=" + file("").string() + " fish --no-config " + file("script").string());
  EXPECT_EQ(ran.status, 0);
  const Words lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 3U) << ran.out;
  EXPECT_THAT(lines[0], HasSubstr("heartbeat"));
  EXPECT_THAT(lines[1], HasSubstr("--until-stall"));
  EXPECT_THAT(lines[2], HasSubstr("json"));
}

}  // namespace
}  // namespace eventspace

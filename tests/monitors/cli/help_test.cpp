#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/command_page.h"
#include "monitors/cli/help_text.h"
#include "monitors/cli/old_names.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"

// A newcomer's first contacts: help, and messages on wrong command lines.

namespace eventspace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_commands::all_pages;
using testing_commands::call_program;
using testing_commands::lines_of;
using testing_commands::test_build;
using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Splits like a shell: text in single quotes is one word.
Words quoted_words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  std::string part;
  for (bool is_quoted = false; std::getline(stream, part, '\''); is_quoted = !is_quoted) {
    if (is_quoted) {
      words.push_back(part);
    } else {
      const Words plain = words_of(part);
      words.insert(words.end(), plain.begin(), plain.end());
    }
  }
  return words;
}

// --- help ----------------------------------------------------------------------------------------------

TEST(Help, ListsAllCommandsOnALineEach) {
  const auto call = call_program({"help"});
  EXPECT_EQ(call.status, exit_fine);
  for (const CommandPage& page : all_pages()) {
    const auto is_its_line = [&](const std::string& line) {
      return line.starts_with("  " + page.name + " ");
    };
    EXPECT_EQ(std::ranges::count_if(lines_of(call.out), is_its_line), page.is_hidden ? 0 : 1) << page.name;
  }
  EXPECT_EQ(call_program({"--help"}).out, call.out);
}

TEST(Help, BeginsWithSixCommands) {
  const Words lines = lines_of(call_program({"help"}).out);
  const auto begin = std::ranges::find(lines, "Start here:");
  ASSERT_GT(lines.end() - begin, 8);
  Words first;
  for (auto line = begin + 1; !line->empty(); ++line) first.push_back(words_of(*line).front());
  EXPECT_THAT(first, ElementsAre("run", "heartbeat", "top", "profile", "record", "doctor"));
  EXPECT_TRUE((begin + 8)->ends_with(':')) << "a group follows";
}

TEST(Help, IsWrittenToStandardErrorWithoutACommand) {
  const auto call = call_program(Words());
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_EQ(call.out, "");
  EXPECT_EQ(call.err, program_help_text(all_pages()));
}

TEST(Help, OfACommandIsTheSameInBothForms) {
  for (const CommandPage& page : all_pages()) {
    const auto call = call_program({page.name, "--help"});
    EXPECT_EQ(call.status, exit_fine) << page.name;
    EXPECT_EQ(call_program({"help", page.name}).out, call.out);
    for (const OptionPage& option : page.options) EXPECT_THAT(call.out, HasSubstr(option.form()));
  }
}

TEST(Help, IsPlainTextThatFitsAWindow) {
  Words texts{program_help_text(all_pages())};
  for (const CommandPage& page : all_pages()) texts.push_back(help_text(page));
  for (const std::string& text : texts) {
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(line.size(), 110U) << line;
      EXPECT_TRUE(std::ranges::all_of(line, [](unsigned char c) { return c >= 0x20 && c < 0x7f; })) << line;
    }
  }
}

TEST(Help, ShowsTheChoicesOfAnOptionAsTheyAreWritten) {
  EXPECT_THAT(call_program({"heartbeat", "--help"}).out,
              AllOf(HasSubstr("--format {text,json,csv}"), HasSubstr("--list {none,stalled,all}")));
  EXPECT_THAT(call_program({"draw", "--help"}).out, HasSubstr("--threads {collapsed,grouped,all}"));
}

TEST(Help, ShowsRangesAndDefaults) {
  const std::string help = call_program({"tune", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("1 to 1024; default: 256"));
  EXPECT_THAT(help, HasSubstr("(default: 60s)"));
}

TEST(Help, HasTheNamesOfValuesWhole) {
  CLI::App app;
  double number = 0;
  std::string text;
  app.add_option("--variable", text)->type_name("NAME[:OFFSET]");
  app.add_option("--at", number)->type_name("HOST:PORT[:N]")->check(number_from(1, 9));
  const auto pages = options_of(app);
  EXPECT_EQ(pages.at(0).form(), "--variable NAME[:OFFSET]");
  EXPECT_EQ(pages.at(1).form(), "--at HOST:PORT[:N]");
  EXPECT_EQ(pages.at(1).range, "1 to 9");
  for (const CommandPage& page : all_pages()) {
    for (const OptionPage& option : page.options)
      EXPECT_EQ(std::ranges::count(option.value, '['), std::ranges::count(option.value, ']'))
          << option.form();
  }
}

TEST(Wrapped, BreaksAtBlanksAndLeavesLongWordsWhole) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("a incomprehensible b", 5, 0), "a\nincomprehensible\nb");
  EXPECT_EQ(wrapped("", 5, 0), "");
}

// --- the table of commands -------------------------------------------------------------------------------

TEST(CommandPages, EachHasAGroupASummaryAndAnExample) {
  for (const CommandPage& page : all_pages()) {
    if (page.is_hidden) continue;
    EXPECT_NE(page.guide.group, CommandGroup::other) << page.name;
    EXPECT_FALSE(page.summary.empty() || page.summary.ends_with('.')) << page.name;
    EXPECT_THAT(page.guide.examples, Not(IsEmpty())) << page.name;
    for (const OptionPage& option : page.options) EXPECT_FALSE(option.text.empty()) << option.form();
    for (const OptionPage& argument : page.arguments) EXPECT_FALSE(argument.text.empty()) << page.name;
  }
}

// Words after "--" belong to the started command, words after ">" to the shell.
Words parsed_words(const std::string& example) {
  Words words = quoted_words_of(example);
  words.erase(std::ranges::find_if(words, [](const auto& word) { return word == "--" || word == ">"; }),
              words.end());
  return words;
}

TEST(CommandPages, EachExampleIsACommandLineThatIsAccepted) {
  for (const Command& command : all_commands(test_build)) {
    for (const CommandExample& example : command.guide.examples) {
      Words words = parsed_words(example.line);
      ASSERT_GE(words.size(), 2U);
      EXPECT_EQ(words[0] + " " + words[1], "eventspace " + command.name);
      CLI::App app;
      const Command::Run owner = command.add(app);   // owns the variables of the options
      std::reverse(words.begin() + 2, words.end());  // in the order that CLI11 requires
      EXPECT_NO_THROW(app.parse(Words(words.begin() + 2, words.end()))) << example.line;
    }
  }
}

TEST(CommandPages, UsagesNameOnlyOptionsThatExist) {
  const std::regex option("--[a-z][a-z-]*");
  for (const CommandPage& page : all_pages()) {
    for (const std::string& usage : page.usages) {
      EXPECT_THAT(usage, StartsWith("eventspace " + page.name));
      for (std::sregex_iterator found(usage.begin(), usage.end(), option), end; found != end; ++found)
        EXPECT_NE(page.find_option(found->str()), nullptr) << usage;
    }
  }
}

// An option that means the same in several commands has the same text in all of them.
TEST(CommandPages, SharedOptionsHaveOneText) {
  std::map<std::string, std::string> texts;
  for (const CommandPage& page : all_pages()) {
    for (const OptionPage& option : page.options) {
      if (option.group.empty() && option.names.back() != "--once" && option.names.back() != "--force")
        continue;
      if (page.name == "run" && option.names.back() == "--force") continue;  // "With --record: ..."
      const auto known = texts.emplace(option.group + option.names.back(), option.text).first;
      EXPECT_EQ(option.text, known->second) << page.name << ' ' << option.form();
    }
  }
}

TEST(CommandPages, TextsAreImperatives) {
  const std::regex third_person(
      "(Adds|Begins|Draws|Ends|Lists|Looks|Makes|Only so|Prints|Pulls through|Reads|Records|"
      "Removes|Says|Shows|Starts|Stops|Switches|Writes) .*");
  for (const CommandPage& page : all_pages()) {
    EXPECT_FALSE(std::regex_match(page.summary, third_person)) << page.name;
    for (const OptionPage& option : page.options)
      EXPECT_FALSE(std::regex_match(option.text, third_person)) << page.name << ' ' << option.form();
  }
}

// --- names of earlier versions ---------------------------------------------------------------------------

struct OldName {
  Words words;
  std::string note;
  Words present;
};

class OldNames : public testing::TestWithParam<OldName> {};

TEST_P(OldNames, StillWorkWithANote) {
  Words words{"eventspace"};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const PresentWords present = with_present_names(words);
  EXPECT_EQ(Words(present.words.begin() + 1, present.words.end()), GetParam().present);
  EXPECT_THAT(present.notes, ElementsAre(GetParam().note));
}

INSTANTIATE_TEST_SUITE_P(
    Each, OldNames,
    testing::Values(
        OldName{{"when", "x", "true"}, "when is now called trigger", {"trigger", "x", "true"}},
        OldName{{"help", "when"}, "when is now called trigger", {"help", "trigger"}},
        OldName{{"profile", "x", "--most", "3"},
                "--most is now called --limit",
                {"profile", "x", "--limit", "3"}},
        OldName{{"top", "x", "--most=3"}, "--most is now called --limit", {"top", "x", "--limit=3"}},
        OldName{{"probe", "f", "--let", "a = 1 at f", "--let", "b = 1 at f"},
                "--let is now called --set",
                {"probe", "f", "--set", "a = 1 at f", "--set", "b = 1 at f"}},
        OldName{
            {"heartbeat", "x", "--cost"}, "--cost is now called --verbose", {"heartbeat", "x", "--verbose"}},
        OldName{{"measure", "x", "--overhead"},
                "--overhead is now called --verbose",
                {"measure", "x", "--verbose"}}));

TEST(OldNames, OfOptionsAreThoseOfTheirCommandsOnly) {
  const Words other{"eventspace", "whatif", "x", "--cost"};
  EXPECT_EQ(with_present_names(other).words, other);
  const Words of_whatif{"eventspace", "whatif", "x", "--overhead", "x2"};
  EXPECT_EQ(with_present_names(of_whatif).words, of_whatif);
  const Words behind{"eventspace", "attach", "--probe", "f", "--", "app", "--let"};
  EXPECT_EQ(with_present_names(behind).words, behind);
  EXPECT_THAT(with_present_names(behind).notes, IsEmpty());
}

TEST(OldNames, AreParsedAsThePresentOnes) {
  EXPECT_EQ(call_program({"help", "when"}).out, call_program({"help", "trigger"}).out);
  const auto call = call_program({"heartbeat", "x", "--cost", "--cost"});
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_THAT(call.err, AllOf(StartsWith("eventspace: note: --cost is now called --verbose\n"),
                              HasSubstr("--verbose is given twice")));
}

TEST(OldNames, AreInNoHelp) {
  const std::regex old("--(most|let|cost)\\b|eventspace when\\b");
  for (const CommandPage& page : all_pages()) {
    EXPECT_NE(page.name, "when");
    EXPECT_FALSE(std::regex_search(help_text(page), old)) << page.name;
  }
}

// --- command lines that are wrong --------------------------------------------------------------------------

struct Mistake {
  Words words;
  std::string message;  ///< part of the first line
  std::string meant{};  ///< the suggestion in the last line ("did you mean ..."); empty: none
};

class UsageMistake : public testing::TestWithParam<Mistake> {};

TEST_P(UsageMistake, IsNamedWithWhatIsExpected) {
  const auto call = call_program(GetParam().words);
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_EQ(call.out, "");
  const Words lines = lines_of(call.err);
  ASSERT_GE(lines.size(), 3U) << call.err;
  EXPECT_LE(lines.size(), 6U) << call.err << "the whole help is written only if it is asked for";
  EXPECT_THAT(lines.front(), AllOf(StartsWith("eventspace: "), HasSubstr(GetParam().message)));
  EXPECT_THAT(lines.at(1), StartsWith("Usage: eventspace "));
  EXPECT_THAT(lines.back(), AllOf(HasSubstr("--help` lists the "), Not(HasSubstr("Usage"))));
  const std::string& meant = GetParam().meant;
  EXPECT_THAT(lines.back(), StartsWith(meant.empty() ? "`eventspace" : "Did you mean " + meant + "? "));
}

INSTANTIATE_TEST_SUITE_P(
    Words, UsageMistake,
    testing::Values(
        Mistake{{"heartbet"}, "there is no command 'heartbet'", "heartbeat"},
        Mistake{{"help", "heartbet"}, "there is no command 'heartbet'", "heartbeat"},
        Mistake{{"nonsense", "x"}, "there is no command 'nonsense'"},
        Mistake{{"version"}, "there is no command 'version'", "--version"},
        Mistake{{"--versoin"}, "there is no option '--versoin'", "--version"},
        Mistake{{"heartbeat"}, "PATHMAP is missing"}, Mistake{{"tune", "x"}, "--scope NAME is missing"},
        Mistake{{"heartbeat", "x", "y"}, "unexpected argument 'y'"},
        Mistake{{"heartbeat", "x", "--intervall", "3"}, "there is no option '--intervall'", "--interval"},
        Mistake{{"heartbeat", "--intervall=3"}, "there is no option '--intervall'", "--interval"},
        Mistake{{"heartbeat", "x", "--format", "jsn"},
                "found 'jsn'; did you mean 'json'? expected text, json"},
        Mistake{{"heartbeat", "x", "--format=xml"}, "found 'xml'; expected text, json, csv"},
        Mistake{{"completion", "tcsh"}, "SHELL: found 'tcsh'; expected bash, zsh, fish"},
        Mistake{{"heartbeat", "x", "--format", "json", "--format", "csv"}, "--format is given twice"},
        Mistake{{"heartbeat", "x", "--once", "--once"}, "--once is given twice"},
        Mistake{{"heartbeat", "x", "--scope"}, "--scope needs a value: --scope NAME"},
        Mistake{{"heartbeat", "x", "--once", "--until-stall"}, "only one of the two may be given"},
        Mistake{{"heartbeat", "x", "--interval", "3days"}, "found '3days'; expected a number and a unit"},
        Mistake{{"heartbeat", "x", "--interval", "-1s"}, "from 0 to 2562047h"},
        Mistake{{"heartbeat", "x", "--interval", "nan"}, "from 0 to 2562047h"},
        Mistake{{"heartbeat", "x", "--interval", "1e300h"}, "from 0 to 2562047h"},
        Mistake{{"heartbeat", "x", "--count", "-3"}, "whole number from 0 to 18446744073709551615"},
        Mistake{{"heartbeat", "x", "--count", "1e3"}, "whole number from 0 to 18446744073709551615"},
        Mistake{{"heartbeat", "x", "--count", "18446744073709551616"}, "from 0 to 18446744073709551615"},
        Mistake{{"tune", "x", "--scope", "s", "--pairs", "0"}, "whole number from 1 to 1000"},
        Mistake{{"tune", "x", "--scope", "s", "--pairs", "1.5"}, "whole number from 1 to 1000"},
        Mistake{{"tune", "x", "--scope", "s", "--max-slowdown", "nan"}, "a number from 1 to 1000000"},
        Mistake{{"tune", "x", "--scope", "s", "--rate", "0"}, "a number from 0.001 to 1000000000"},
        Mistake{{"share", "x", "--port", "70000"}, "whole number from 1 to 65535"}));

TEST(UsageMistakes, TheWholeMessageIsShortAndItsHintIsTheLastLine) {
  EXPECT_EQ(call_program({"heartbeat", "x", "--intervall", "3"}).err,
            "eventspace: there is no option '--intervall'\n"
            "Usage: eventspace heartbeat PATHMAP [OPTIONS]\n"
            "Did you mean --interval? `eventspace heartbeat --help` lists the options.\n");
  EXPECT_EQ(call_program({"heartbet"}).err,
            "eventspace: there is no command 'heartbet'\n"
            "Usage: eventspace COMMAND [ARGUMENTS] [OPTIONS]\n"
            "Did you mean heartbeat? `eventspace --help` lists the commands.\n");
}

Words given_twice(const CommandPage& page, const OptionPage& option) {
  Words words{page.name};
  for (int time = 0; time < 2; ++time) {
    words.push_back(option.names.back());
    // The least value of its range, so that only the repetition is wrong.
    if (!option.value.empty())
      words.push_back(option.range.empty() ? "1" : option.range.substr(0, option.range.find(' ')));
  }
  return words;
}

// For every option of every command, including future ones.
TEST(UsageMistakes, AnOptionMayNotBeGivenTwice) {
  for (const Command& command : all_commands(test_build)) {
    const CommandPage page = page_of(command);
    for (const OptionPage& option : page.options) {
      if (option.may_repeat) continue;
      const auto call = call_program({command}, given_twice(page, option));
      EXPECT_EQ(call.status, exit_usage) << page.name << ' ' << option.form();
      EXPECT_THAT(call.err, HasSubstr(option.names.back() + " is given twice")) << page.name;
    }
  }
}

TEST(UsageMistakes, NumbersOutOfRangeAreToldTheRange) {
  for (const Command& command : all_commands(test_build)) {
    const CommandPage page = page_of(command);
    for (const OptionPage& option : page.options) {
      if (option.value != "N" && option.value != "TIME" && option.range.empty()) continue;
      Words words{page.name, option.names.back(), "-1"};
      for (const OptionPage& argument : page.arguments)
        if (argument.is_required) words.emplace_back("x");
      for (const OptionPage& other : page.options) {
        if (!other.is_required || &other == &option) continue;
        words.push_back(other.names.back());
        words.emplace_back("x");
      }
      const auto call = call_program({command}, words);
      EXPECT_EQ(call.status, exit_usage) << page.name << ' ' << option.form();
      EXPECT_THAT(call.err, AllOf(HasSubstr("found '-1'"), HasSubstr("from "), HasSubstr(" to ")))
          << page.name << ' ' << option.form();
    }
  }
}

// --- the version -------------------------------------------------------------------------------------------

TEST(Version, SaysCommitCompilerAndBuildType) {
  const auto call = call_program({"--version"});
  EXPECT_EQ(call.status, exit_fine);
  EXPECT_EQ(call.out,
            "eventspace 1.2.3\ncommit: 0123456789abcdef of 2026-11-24\ncompiler: GNU 12\nbuild type: Test\n");
}

TEST(Version, SaysWhyTheCommitIsNotKnown) {
  EXPECT_THAT(version_text({"1.2.3", "", "", "GNU 12", "Test"}), HasSubstr("commit: unknown: built neither"));
}

}  // namespace
}  // namespace eventspace

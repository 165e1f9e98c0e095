#include "monitors/cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "monitors/cli/options.h"

namespace eventspace {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t form_width = 26;  // of the column with the options

// The commands that a new user needs, in the order of their use; `help` lists them before the others.
constexpr std::array<std::string_view, 6> first_commands{"run",     "heartbeat", "top",
                                                         "profile", "record",    "doctor"};

bool is_first(const CommandPage& page) {
  return std::ranges::find(first_commands, page.name) != first_commands.end();
}

std::string line_of(const CommandPage& page) { return fmt::format("  {:<15}{}\n", page.name, page.summary); }

// A form that is too long for its column gets a separate line, as in GNU programs.
std::string row(const std::string& form, const std::string& text) {
  const std::size_t indent = form_width + 2;
  const std::string words = wrapped(text, page_width - indent, indent);
  if (form.size() < form_width) return fmt::format("  {:<{}}{}\n", form, form_width, words);
  return fmt::format("  {}\n{:{}}{}\n", form, "", indent, words);
}

std::string rows(const char* title, const std::vector<OptionPage>& pages) {
  if (pages.empty()) return "";
  std::string text = fmt::format("\n{}:\n", title);
  for (const OptionPage& page : pages) text += row(page.form(), page.sentence());
  return text;
}

std::string examples_of(const CommandPage& page) {
  if (page.guide.examples.empty()) return "";
  std::string text = "\nExamples:\n";
  for (const CommandExample& example : page.guide.examples)
    text += fmt::format("  {}\n      {}\n", example.line, example.purpose);
  return text;
}

std::string statuses_of(const CommandPage& page) {
  std::string text = "\nExit status:\n";
  for (const auto& [status, meaning] : page.statuses)
    text += fmt::format("  {}  {}\n", status, wrapped(meaning, page_width - 5, 5));
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += '\n' + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) lines += ' ';
    lines += word;
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return lines;
}

std::string list_text(const std::vector<CommandPage>& pages) {
  std::string first;
  for (const std::string_view name : first_commands) {
    const auto page = std::ranges::find(pages, name, &CommandPage::name);
    if (page != pages.end()) first += line_of(*page);
  }
  std::string text = first.empty() ? "" : fmt::format("Start here:\n{}", first);
  for (const GroupTitle& group : group_titles) {
    std::string lines;
    for (const CommandPage& page : pages) {
      if (!page.is_hidden && page.guide.group == group.group && !is_first(page)) lines += line_of(page);
    }
    if (!lines.empty()) text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n", group.title, lines);
  }
  return text;
}

std::string help_text(const CommandPage& page) {
  std::string text;
  for (const std::string& usage : page.usages)
    text += fmt::format("{}{}\n", text.empty() ? "Usage: " : "       ", usage);
  text += fmt::format("\n{}.\n", page.summary);
  text += rows("Arguments", page.arguments);
  text += rows("Options", options_in(page.options, ""));
  for (const char* const group : shared_groups) text += rows(group, options_in(page.options, group));
  return text + statuses_of(page) + examples_of(page);
}

std::string program_help_text(const std::vector<CommandPage>& pages) {
  return "Usage: eventspace COMMAND [ARGUMENTS] [OPTIONS]\n\n"
         "Observes the communication of parallel programs while they run.\n\n" +
         list_text(pages) +
         "\n`eventspace COMMAND --help` lists the options of a command; `eventspace --version` says which\n"
         "version this is. First steps: eventspace run -- ./app; then, in another terminal,\n"
         "eventspace heartbeat app\n";
}

}  // namespace eventspace

#include "monitors/cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace eventspace {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t form_width = 26;  // of the column with the options

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
  std::string text;
  for (const GroupTitle& group : group_titles) {
    std::string lines;
    for (const CommandPage& page : pages) {
      if (page.is_hidden || page.guide.group != group.group) continue;
      lines += fmt::format("  {:<13}{}\n", page.name, page.summary);
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
  text += rows("Options", page.options);
  return text + statuses_of(page) + examples_of(page);
}

std::string program_help_text(const std::vector<CommandPage>& pages) {
  return "Usage: eventspace COMMAND [ARGUMENTS] [OPTIONS]\n\n"
         "Observes the communication of parallel programs while they run.\n\n" +
         list_text(pages) +
         "\n`eventspace COMMAND --help` lists the options of a command; `eventspace --version` says which\n"
         "version this is. First steps: eventspace check app.yaml; eventspace up app.yaml;\n"
         "eventspace run app.yaml; eventspace heartbeat app.yaml; eventspace down app.yaml\n";
}

}  // namespace eventspace

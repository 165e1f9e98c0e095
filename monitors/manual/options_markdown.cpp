#include "monitors/manual/options_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

const std::string options_begin = "<!-- options of ";
const std::string list_begin = "<!-- commands: ";
const std::string begin_tail = ": written by scripts/docs -->";
const std::string end_mark = "<!-- end -->";

// A bar would end the cell of a table, even in backquotes.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string table_of(const char* title, const std::vector<OptionPage>& pages) {
  if (pages.empty()) return "";
  std::string text = fmt::format("\n| {} | meaning |\n|---|---|\n", title);
  for (const OptionPage& page : pages)
    text += fmt::format("| `{}` | {} |\n", cell(page.form()), cell(page.sentence()));
  return text;
}

/// The anchor that GitHub makes of the title of a section: "up and down" is #up-and-down.
std::string anchor_of(const std::string& title) {
  std::string anchor;
  for (const unsigned char character : title) {
    if (character == ' ' || character == '-') anchor += '-';
    if (std::isalnum(character) != 0 || character == '_')
      anchor += static_cast<char>(std::tolower(character));
  }
  return anchor;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string command_named_in(const std::string& line) {
  if (!line.starts_with(options_begin) || !line.ends_with(begin_tail)) return "";
  return line.substr(options_begin.size(), line.size() - options_begin.size() - begin_tail.size());
}

// The anchor of the section with each command's options.
std::map<std::string, std::string> anchors_in(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> anchors;
  std::string section;
  for (const std::string& line : lines) {
    if (line.starts_with("## ")) section = anchor_of(line.substr(3));
    if (const std::string name = command_named_in(line); !name.empty()) anchors[name] = section;
  }
  return anchors;
}

std::string list_markdown(const std::vector<CommandPage>& pages,
                          const std::map<std::string, std::string>& anchors) {
  std::string text = "| command | purpose |\n|---|---|\n";
  for (const GroupTitle& group : group_titles) {
    for (const CommandPage& page : pages) {
      if (page.is_hidden || page.guide.group != group.group) continue;
      const auto anchor = anchors.find(page.name);
      if (anchor == anchors.end()) {
        throw ConfigurationError(fmt::format("no section has a line `{}{}{}`, followed by `{}`",
                                             options_begin, page.name, begin_tail, end_mark));
      }
      text += fmt::format("| [`{}`](#{}) | {} |\n", page.name, anchor->second, cell(page.summary));
    }
  }
  return text;
}

std::string part_of(const std::string& line, const std::vector<CommandPage>& pages,
                    const std::map<std::string, std::string>& anchors) {
  if (line.starts_with(list_begin)) return list_markdown(pages, anchors);
  const std::string name = command_named_in(line);
  const auto page = std::ranges::find(pages, name, &CommandPage::name);
  if (page == pages.end()) throw ConfigurationError(fmt::format("there is no command '{}'", name));
  return options_markdown(*page);
}

}  // namespace

std::string options_markdown(const CommandPage& page) {
  std::string text;
  for (const std::string& usage : page.usages) text += fmt::format("    {}\n", usage);
  text += table_of("argument", page.arguments) + table_of("option", page.options);
  text += "\n| exit status | meaning |\n|---|---|\n";
  for (const auto& [status, meaning] : page.statuses)
    text += fmt::format("| {} | {} |\n", status, cell(meaning));
  text += "\nExamples:\n\n";
  for (const CommandExample& example : page.guide.examples)
    text += fmt::format("- `{}`: {}\n", example.line, example.purpose);
  return text;
}

std::string with_options(const std::string& text, const std::vector<CommandPage>& pages) {
  const std::vector<std::string> lines = lines_of(text);
  const auto anchors = anchors_in(lines);
  std::string out;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    out += *line + '\n';
    if (command_named_in(*line).empty() && !line->starts_with(list_begin)) continue;
    const auto end = std::find(line, lines.end(), end_mark);
    if (end == lines.end()) throw ConfigurationError(fmt::format("`{}` has no `{}`", *line, end_mark));
    out += part_of(*line, pages, anchors) + end_mark + '\n';
    line = end;
  }
  return out;
}

}  // namespace eventspace

#include "monitors/manual/options_markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include <eventspace/error.h>
#include "monitors/cli/options.h"

namespace eventspace {
namespace {

const std::string options_begin = "<!-- options of ";
const std::string list_begin = "<!-- commands -->";
const std::string shared_begin = "<!-- shared options: ";
const std::string begin_tail = " -->";
const std::string end_mark = "<!-- end -->";

std::string list_of(const std::vector<OptionPage>& pages) {
  std::string text;
  for (const OptionPage& page : pages) text += fmt::format("- `{}`: {}\n", page.form(), page.sentence());
  return text.empty() ? "" : '\n' + text;
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

// The name between `begin` and the end of the first line of a part; empty for other lines.
std::string named_in(const std::string& line, const std::string& begin) {
  if (!line.starts_with(begin) || !line.ends_with(begin_tail)) return "";
  return line.substr(begin.size(), line.size() - begin.size() - begin_tail.size());
}

std::string command_named_in(const std::string& line) { return named_in(line, options_begin); }
std::string group_named_in(const std::string& line) { return named_in(line, shared_begin); }

bool begins_part(const std::string& line) {
  return line.starts_with(list_begin) || !command_named_in(line).empty() || !group_named_in(line).empty();
}

// The anchors of the sections with each command's options and with each group of shared options.
std::map<std::string, std::string> anchors_in(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> anchors;
  std::string section;
  for (const std::string& line : lines) {
    if (line.starts_with("## ")) section = anchor_of(line.substr(3));
    if (const std::string name = command_named_in(line); !name.empty()) anchors[name] = section;
    if (const std::string group = group_named_in(line); !group.empty()) anchors[group] = section;
  }
  return anchors;
}

std::string list_markdown(const std::vector<CommandPage>& pages,
                          const std::map<std::string, std::string>& anchors) {
  std::string text;
  for (const GroupTitle& group : group_titles) {
    for (const CommandPage& page : pages) {
      if (page.is_hidden || page.guide.group != group.group) continue;
      const auto anchor = anchors.find(page.name);
      if (anchor == anchors.end()) {
        throw ConfigurationError(fmt::format("no section has a line `{}{}{}`, followed by `{}`",
                                             options_begin, page.name, begin_tail, end_mark));
      }
      text += fmt::format("- [`{}`](#{}): {}\n", page.name, anchor->second, page.summary);
    }
  }
  return text;
}

std::vector<OptionPage> arguments_and_options(const CommandPage& page) {
  std::vector<OptionPage> all = page.arguments;
  all.insert(all.end(), page.options.begin(), page.options.end());
  return all;
}

// The options of a group that a section of the page describes for all commands. Of an option whose sentence
// differs between commands, the most frequent sentence.
std::vector<OptionPage> shared_options(const std::vector<CommandPage>& pages, const std::string& group) {
  struct Candidate {
    OptionPage option;
    std::map<std::string, std::size_t> sentences;
  };
  std::vector<Candidate> candidates;
  for (const CommandPage& page : pages) {
    for (const OptionPage& option : options_in(arguments_and_options(page), group)) {
      auto found = std::ranges::find_if(
          candidates, [&](const Candidate& known) { return known.option.form() == option.form(); });
      if (found == candidates.end()) found = candidates.insert(found, Candidate{option, {}});
      const std::size_t count = ++found->sentences[option.sentence()];
      if (count > found->sentences[found->option.sentence()]) found->option = option;
    }
  }
  std::vector<OptionPage> options;
  options.reserve(candidates.size());
  for (const Candidate& candidate : candidates) options.push_back(candidate.option);
  return options;
}

// The option that has the same form and meaning, perhaps with another default; null without one.
const OptionPage* same_in(const std::vector<OptionPage>& options, OptionPage option) {
  const bool has_default = !option.otherwise.empty();
  const auto found = std::ranges::find_if(options, [&option, has_default](const OptionPage& known) {
    if (has_default == known.otherwise.empty()) return false;
    option.otherwise = known.otherwise;
    return known.form() == option.form() && known.sentence() == option.sentence();
  });
  return found == options.end() ? nullptr : &*found;
}

// What the sections with shared options describe. A group without a section is not shared.
std::vector<SharedOptions> all_shared(const std::vector<CommandPage>& pages,
                                      const std::map<std::string, std::string>& anchors) {
  std::vector<SharedOptions> shared;
  for (const char* const group : shared_groups) {
    const auto anchor = anchors.find(group);
    if (anchor != anchors.end())
      shared.push_back({group, anchor->second, shared_options(pages, group), false});
  }
  return shared;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The names of options that the section describes, with their defaults where these differ.
std::vector<std::string> names_in(const std::vector<OptionPage>& options, const SharedOptions& section) {
  std::vector<std::string> names;
  for (const OptionPage& option : options) {
    const OptionPage* const known = same_in(section.options, option);
    if (known == nullptr) continue;
    const bool is_other = known->otherwise != option.otherwise;
    names.push_back(fmt::format("`{}`{}", option.names.back(),
                                is_other ? fmt::format(" (default: {})", option.otherwise) : ""));
  }
  return names;
}

std::string link_to(const SharedOptions& section, const std::vector<std::string>& names) {
  if (section.is_command)
    return fmt::format("as [`{}`](#{}): {}", section.group, section.anchor, fmt::join(names, ", "));
  if (names.size() == section.options.size() && names.size() > 1)
    return fmt::format("[{}](#{})", lower(section.group), section.anchor);
  return fmt::format("[{}](#{})", fmt::join(names, ", "), section.anchor);
}

// Returns the options that no section describes, and adds links to the sections with the others to `links`.
std::vector<OptionPage> without_shared(const std::vector<OptionPage>& options,
                                       const std::vector<SharedOptions>& shared, std::string& links) {
  constexpr std::size_t min_repeated = 2;  // a single option is easier to read where it is used
  std::vector<OptionPage> own = options;
  for (const SharedOptions& section : shared) {
    const std::vector<std::string> names = names_in(own, section);
    if (names.empty() || (section.is_command && names.size() < min_repeated)) continue;
    std::erase_if(
        own, [&section](const OptionPage& option) { return same_in(section.options, option) != nullptr; });
    links += (links.empty() ? "" : "; ") + link_to(section, names);
  }
  return own;
}

std::string statuses_of(const CommandPage& page) {
  std::string text;
  for (const auto& [status, meaning] : page.statuses) {
    const auto common = exit_status_meanings().find(status);
    if (common != exit_status_meanings().end() && common->second == meaning) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "\nExit status: " : ", ", status, meaning);
  }
  return text.empty() ? "" : text + ".\n";
}

// The first example, unless it is the command alone. `--help` has all, with their purposes.
std::string example_of(const CommandPage& page) {
  if (page.guide.examples.empty()) return "";
  const std::string& line = page.guide.examples.front().line;
  return line == "eventspace " + page.name ? "" : fmt::format("    $ {}\n", line);
}

std::string shared_markdown(const std::string& group, const std::vector<CommandPage>& pages) {
  std::string list = list_of(shared_options(pages, group));
  if (list.empty()) throw ConfigurationError(fmt::format("no option has the heading '{}'", group));
  return list;
}

const CommandPage& page_of(const std::string& name, const std::vector<CommandPage>& pages) {
  const auto page = std::ranges::find(pages, name, &CommandPage::name);
  if (page == pages.end()) throw ConfigurationError(fmt::format("there is no command '{}'", name));
  return *page;
}

// Adds the options in the list of a command, to which later commands refer.
void add_list_of(const CommandPage& page, const std::string& anchor, std::vector<SharedOptions>& shared) {
  std::string links;
  shared.push_back({page.name, anchor, without_shared(arguments_and_options(page), shared, links), true});
}

}  // namespace

std::string options_markdown(const CommandPage& page, const std::vector<SharedOptions>& shared) {
  std::string links;
  const std::vector<OptionPage> own = without_shared(arguments_and_options(page), shared, links);
  std::string text;
  for (const std::string& usage : page.usages) text += fmt::format("    {}\n", usage);
  text += example_of(page);
  text += list_of(own);
  if (!links.empty()) text += fmt::format("\n{}: {}.\n", own.empty() ? "Options" : "Other options", links);
  return text + statuses_of(page);
}

std::string with_options(const std::string& text, const std::vector<CommandPage>& pages) {
  const std::vector<std::string> lines = lines_of(text);
  const auto anchors = anchors_in(lines);
  std::vector<SharedOptions> shared = all_shared(pages, anchors);
  std::string out;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    out += *line + '\n';
    if (!begins_part(*line)) continue;
    const auto end = std::find(line, lines.end(), end_mark);
    if (end == lines.end()) throw ConfigurationError(fmt::format("`{}` has no `{}`", *line, end_mark));
    if (line->starts_with(list_begin)) {
      out += list_markdown(pages, anchors);
    } else if (const std::string group = group_named_in(*line); !group.empty()) {
      out += shared_markdown(group, pages);
    } else {
      const std::string name = command_named_in(*line);
      const CommandPage& page = page_of(name, pages);
      out += options_markdown(page, shared);
      add_list_of(page, anchors.at(name), shared);
    }
    out += end_mark + '\n';
    line = end;
  }
  return out;
}

}  // namespace eventspace

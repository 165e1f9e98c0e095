#include "monitors/cli/command_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"

namespace eventspace {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// CLI11 uses names of C++ types; users need to know what to write.
std::string value_name(const std::string& type) {
  if (type == "UINT" || type == "INT") return "N";
  return type == "FLOAT" ? "X" : type;
}

// CLI11 appends the descriptions of validators to the name of the type: "UINT:NUMBER in [1 - 1000]". The name
// may contain colons: "NAME[:OFFSET]".
void read_type(const std::string& type, OptionPage& page) {
  const std::string mark = ':' + std::string(number_in_range);
  const std::size_t range = type.find(mark);
  page.value = value_name(type.substr(0, range));
  if (page.value.starts_with('{')) page.choices = split(page.value.substr(1, page.value.size() - 2), ',');
  if (range == std::string::npos) return;
  const std::size_t first = range + mark.size();
  const std::string bounds = type.substr(first, type.rfind(']') - first);
  const std::size_t middle = bounds.find(" - ");
  page.range = bounds.substr(0, middle) + " to " + bounds.substr(middle + 3);
}

// "Pull through this scope [heartbeat]" is the text and the default.
void read_description(const std::string& description, OptionPage& page) {
  page.text = description;
  const std::size_t bracket = description.rfind(" [");
  if (bracket == std::string::npos || !description.ends_with(']')) return;
  page.otherwise = description.substr(bracket + 2, description.size() - bracket - 3);
  page.text = description.substr(0, bracket);
}

OptionPage page_of_option(const CLI::Option& option) {
  OptionPage page;
  page.names = names_of(option);
  read_description(option.get_description(), page);
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), page);
  if (option.get_positional() && page.choices.empty()) page.value.clear();
  for (const CLI::Option* other : option.get_excludes()) page.excludes.push_back(other->get_name());
  std::ranges::sort(page.excludes);  // CLI11 keeps them by their addresses
  page.is_required = option.get_required();
  page.may_repeat =
      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll || option.get_expected_max() > 1;
  for (const char* group : shared_groups) {
    if (option.get_group() == group) page.group = group;
  }
  return page;
}

std::vector<OptionPage> options_where(const CLI::App& app, bool are_arguments) {
  std::vector<OptionPage> pages;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() == are_arguments && option != app.get_help_ptr() &&
        !option->get_group().empty())
      pages.push_back(page_of_option(*option));
  }
  return pages;
}

std::string usage_of(const CommandPage& page) {
  std::string usage = "eventspace " + page.name;
  for (const OptionPage& argument : page.arguments) {
    const std::string& word = argument.choices.empty() ? argument.names.front() : argument.value;
    usage += argument.is_required ? " " + word : " [" + word + "]";
  }
  for (const OptionPage& option : page.options) {
    if (option.is_required) usage += " " + option.names.back() + " " + option.value;
  }
  const bool has_more = std::ranges::any_of(page.options, [](const auto& one) { return !one.is_required; });
  return has_more ? usage + " [OPTIONS]" : usage;
}

}  // namespace

std::string OptionPage::form() const {
  return fmt::format("{}{}{}", fmt::join(names, ", "), value.empty() ? "" : " ", value);
}

std::string OptionPage::sentence() const {
  std::vector<std::string> notes;
  if (is_required && !value.empty()) notes.emplace_back("required");
  if (!range.empty()) notes.push_back(range);
  if (may_repeat && !value.empty()) notes.emplace_back("repeatable");
  if (!excludes.empty()) notes.push_back(fmt::format("not with {}", fmt::join(excludes, ", ")));
  if (!otherwise.empty()) notes.push_back("default: " + otherwise);
  return notes.empty() ? text : fmt::format("{} ({})", text, fmt::join(notes, "; "));
}

const OptionPage* CommandPage::find_option(const std::string& option) const {
  for (const OptionPage& page : options) {
    if (std::ranges::find(page.names, option) != page.names.end()) return &page;
  }
  return nullptr;
}

std::vector<OptionPage> arguments_of(const CLI::App& app) { return options_where(app, true); }
std::vector<OptionPage> options_of(const CLI::App& app) { return options_where(app, false); }

std::vector<OptionPage> options_in(const std::vector<OptionPage>& options, const std::string& group) {
  std::vector<OptionPage> found;
  std::ranges::copy_if(options, std::back_inserter(found),
                       [&group](const OptionPage& option) { return option.group == group; });
  return found;
}

const std::map<int, std::string>& exit_status_meanings() {
  static const std::map<int, std::string> meanings{
      {exit_fine, "success"},
      {exit_usage, "usage or configuration error; nothing was started"},
      {exit_unreachable, "something that is needed was not found, did not answer or may not be used"}};
  return meanings;
}

CommandPage page_of(const Command& command) {
  CLI::App app(command.help, command.name);
  command.add(app);
  CommandPage page{command.name, command.help, command.guide, command.is_hidden, {}, {}, {}, {}};
  page.arguments = arguments_of(app);
  page.options = options_of(app);
  page.usages = command.guide.usages.empty() ? std::vector{usage_of(page)} : command.guide.usages;
  page.statuses = command.guide.statuses;
  page.statuses.insert(exit_status_meanings().begin(), exit_status_meanings().end());
  return page;
}

std::vector<CommandPage> pages_of(const std::vector<Command>& commands) {
  std::vector<CommandPage> pages;
  pages.reserve(commands.size());
  for (const Command& command : commands) pages.push_back(page_of(command));
  return pages;
}

}  // namespace eventspace

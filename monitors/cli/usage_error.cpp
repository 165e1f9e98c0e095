#include "monitors/cli/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>

#include "monitors/text/plain_output.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

struct Complaint {
  std::string message;
  std::string meant{};  // the nearest name that exists; empty if none is near
};

std::string near_match(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return std::string(nearest(word, candidates));
}

std::vector<std::string> names_of(const std::vector<OptionPage>& options) {
  std::vector<std::string> names{"--help"};
  for (const OptionPage& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// "--intervall=3" is the option --intervall.
Complaint unknown_option(const std::string& word, const std::vector<std::string>& known) {
  const std::string name = word.substr(0, word.find('='));
  return {fmt::format("there is no option '{}'", name), near_match(name, known)};
}

Complaint left_over(const std::vector<std::string>& words, const CommandPage& page) {
  for (const std::string& word : words) {
    if (word.size() > 1 && word.starts_with('-')) return unknown_option(word, names_of(page.options));
  }
  if (words.empty()) return {};
  return {page.arguments.empty()
              ? fmt::format("unexpected argument '{}': the command takes no arguments", words.front())
              : fmt::format("unexpected argument '{}'", words.front())};
}

bool is_given_too_often(const CLI::Option& option) {
  return static_cast<int>(option.count()) > std::max(1, option.get_items_expected_max());
}

// CLI11's options have the result of parsing; its own message names types and counts.
std::string wrong_count(const CLI::App& app, const CommandPage& page, const std::string& otherwise) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_given_too_often(*option)) return fmt::format("{} is given twice", option->get_name());
  }
  for (const OptionPage& option : page.options) {
    if (otherwise.starts_with(option.names.back() + ":"))
      return fmt::format("{} needs a value: {}", option.names.back(), option.form());
  }
  return otherwise;
}

std::string missing(const CLI::App& app, const CommandPage& page, const std::string& otherwise) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const OptionPage* const known = page.find_option(option->get_name());
    return fmt::format("{} is missing", known != nullptr ? known->form() : option->get_name(true));
  }
  return otherwise;
}

Complaint complaint_of(const CLI::App& app, const CLI::ParseError& error, const CommandPage& page) {
  if (Complaint extra = left_over(app.remaining(), page); !extra.message.empty()) return extra;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return {wrong_count(app, page, error.what())};
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return {missing(app, page, error.what())};
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return {fmt::format("{}: only one of the two may be given", error.what())};
  return {error.what()};
}

std::string usage_lines_of(const CommandPage& page) {
  std::string text;
  for (const std::string& usage : page.usages)
    text += fmt::format("{}{}\n", text.empty() ? "Usage: " : "       ", usage);
  return text;
}

std::string did_you_mean(const std::string& meant) {
  return meant.empty() ? "" : fmt::format("Did you mean {}? ", meant);
}

UsageError with_usage(const Complaint& complaint) {
  return {complaint.message, "Usage: eventspace COMMAND [ARGUMENTS] [OPTIONS]\n",
          did_you_mean(complaint.meant) + "`eventspace --help` lists the commands."};
}

UsageError with_usage(const Complaint& complaint, const CommandPage& page) {
  return {
      complaint.message, usage_lines_of(page),
      fmt::format("{}`eventspace {} --help` lists the options.", did_you_mean(complaint.meant), page.name)};
}

}  // namespace

UsageError unknown_command(const std::string& name, const std::vector<CommandPage>& pages) {
  std::vector<std::string> names{"--help", "--version"};  // `eventspace version` is a likely guess
  for (const CommandPage& page : pages) {
    if (!page.is_hidden) names.push_back(page.name);
  }
  return with_usage({fmt::format("there is no command '{}'", name), near_match(name, names)});
}

UsageError explain(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> words,
                   const std::vector<CommandPage>& pages) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    const auto page = std::ranges::find(pages, chosen.front()->get_name(), &CommandPage::name);
    if (page == pages.end()) return {error.what(), "", ""};
    return with_usage(complaint_of(*chosen.front(), error, *page), *page);
  }
  const std::string first = words[1];
  if (first.starts_with('-') && first.size() > 1)
    return with_usage(unknown_option(first, {"--help", "--version"}));
  return unknown_command(first, pages);
}

void print(const UsageError& error) {
  print_message(error.message);
  std::cerr << error.usage;
  if (!error.hint.empty()) std::cerr << error.hint << '\n';
}

}  // namespace eventspace

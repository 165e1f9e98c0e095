#include "monitors/cli/old_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace eventspace {
namespace {

struct OldOption {
  std::string_view command;
  std::string_view old_name;
  std::string_view name;
};

constexpr std::string_view old_trigger = "when";
constexpr std::string_view trigger = "trigger";

constexpr std::array old_options{
    OldOption{"top", "--most", "--limit"},         OldOption{"profile", "--most", "--limit"},
    OldOption{"collectives", "--most", "--limit"}, OldOption{"values", "--most", "--limit"},
    OldOption{"probe", "--let", "--set"},          OldOption{"attach", "--let", "--set"}};

/// Names that an option had in all of these commands.
constexpr std::array old_names_of_verbose{std::string_view("--cost"), std::string_view("--overhead")};
constexpr std::array<std::string_view, 8> verbose_commands{"heartbeat", "top",         "events",  "values",
                                                           "profile",   "collectives", "measure", "trigger"};

void add_note(PresentWords& present, std::string_view old_name, std::string_view name) {
  std::string note = fmt::format("{} is now called {}", old_name, name);
  if (std::ranges::find(present.notes, note) == present.notes.end()) present.notes.push_back(std::move(note));
}

// `eventspace when` and `eventspace help when`.
void replace_command(PresentWords& present) {
  std::vector<std::string>& words = present.words;
  const std::size_t at = words.size() > 2 && words[1] == "help" ? 2 : 1;
  if (words.size() <= at || words[at] != old_trigger) return;
  words[at] = trigger;
  add_note(present, old_trigger, trigger);
}

std::optional<OldOption> old_option(std::string_view command, std::string_view name) {
  const auto is_it = [&](const OldOption& option) {
    return option.old_name == name && option.command == command;
  };
  if (const auto* const old = std::ranges::find_if(old_options, is_it); old != old_options.end()) return *old;
  const auto* const verbose = std::ranges::find(old_names_of_verbose, name);
  const bool has_verbose = std::ranges::find(verbose_commands, command) != verbose_commands.end();
  if (verbose == old_names_of_verbose.end() || !has_verbose) return std::nullopt;
  return OldOption{command, *verbose, "--verbose"};
}

// "--most" and "--most=5".
void replace_option(PresentWords& present, std::string& word) {
  const std::string_view name = std::string_view(word).substr(0, word.find('='));
  const auto old = old_option(present.words[1], name);
  if (!old) return;
  word.replace(0, name.size(), old->name);
  add_note(present, old->old_name, old->name);
}

}  // namespace

PresentWords with_present_names(std::vector<std::string> words) {
  PresentWords present{std::move(words), {}};
  replace_command(present);
  for (std::size_t at = 2; at < present.words.size() && present.words[at] != "--"; ++at)
    replace_option(present, present.words[at]);
  return present;
}

}  // namespace eventspace

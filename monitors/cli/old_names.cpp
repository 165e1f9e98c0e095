#include "monitors/cli/old_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    OldOption{"top", "--most", "--limit"},          OldOption{"profile", "--most", "--limit"},
    OldOption{"collectives", "--most", "--limit"},  OldOption{"values", "--most", "--limit"},
    OldOption{"probe", "--let", "--set"},           OldOption{"attach", "--let", "--set"},
    OldOption{"heartbeat", "--cost", "--overhead"}, OldOption{"top", "--cost", "--overhead"},
    OldOption{"events", "--cost", "--overhead"},    OldOption{"values", "--cost", "--overhead"},
    OldOption{"profile", "--cost", "--overhead"},   OldOption{"collectives", "--cost", "--overhead"},
    OldOption{"measure", "--cost", "--overhead"},   OldOption{"trigger", "--cost", "--overhead"}};

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

// "--most" and "--most=5".
void replace_option(PresentWords& present, std::string& word) {
  const std::string_view name = std::string_view(word).substr(0, word.find('='));
  const auto* const old = std::ranges::find_if(old_options, [&](const OldOption& option) {
    return option.old_name == name && option.command == present.words[1];
  });
  if (old == old_options.end()) return;
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

#include "monitors/probing/groups/named_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "scopes/streams/members/stored_names.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace {
namespace {

// The groups of a session are in SESSION.groups. No session name can begin like this one in its file.
streams::StoredNames stored() { return {runtime_directory() / "processes.of.user", "this user"}; }

}  // namespace

ProcessGroups NamedGroups::all() {
  ProcessGroups groups;
  if (!existing_runtime_directory()) return groups;
  (void)stored().read([&groups](std::string_view name, std::string_view text) {
    try {
      groups.insert_or_assign(std::string(name), parse_choice(text));
      return true;
    } catch (const ConfigurationError&) {
      return false;
    }
  });
  return groups;
}

void NamedGroups::store(std::string_view name, const ProcessChoice& choice) {
  streams::StoredNames::check_name(name);
  check_choice(choice);
  ProcessGroups groups = all();
  groups.insert_or_assign(std::string(name), choice);
  ProcessChoice itself;
  itself.groups.emplace_back(name);
  check_groups(itself, groups);
  stored().store(name, to_text(choice));
}

bool NamedGroups::remove(std::string_view name) {
  for (const auto& [other, choice] : all()) {
    const auto parts = choice.named_groups();
    if (std::ranges::find(parts, name) != parts.end())
      throw ConfigurationError(
          fmt::format("cannot remove group '{}': group '{}' is made of it; remove '{}' first", escaped(name),
                      other, other));
  }
  return stored().remove(name);
}

}  // namespace eventspace

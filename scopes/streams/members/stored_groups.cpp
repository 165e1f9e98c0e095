#include <eventspace/topology.h>

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include <eventspace/error.h>
#include "scopes/streams/members/stored_names.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

// A session's name may have any characters but '/'.
std::string file_name_of(std::string_view session) {
  std::string text;
  for (const char c : session) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                          (c == '.' && !text.empty());
    text += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return text + ".groups";
}

StoredNames names_in(const std::filesystem::path& file, std::string_view session) {
  return {file, fmt::format("the session '{}'", escaped(session))};
}

}  // namespace

StoredGroups::StoredGroups(std::string_view session)
    : file_(runtime_directory() / file_name_of(session)), session_(session) {}

void StoredGroups::store(std::string_view name, const RankSet& ranks) const {
  StoredNames::check_name(name);
  if (ranks.empty()) throw ConfigurationError(fmt::format("the group '{}' would be empty", name));
  names_in(file_, session_).store(name, ranks.to_text());
}

bool StoredGroups::remove(std::string_view name) const { return names_in(file_, session_).remove(name); }

RankSet StoredGroups::find(std::string_view name) const {
  const auto groups = all();
  if (const auto found = groups.find(name); found != groups.end()) return found->second;
  std::string known;
  for (const auto& [other, ranks] : groups) known += (known.empty() ? "" : ", ") + other;
  throw ConfigurationError(fmt::format("the session '{}' has no group '{}'; known: {}", escaped(session_),
                                       escaped(name), known.empty() ? "none" : known));
}

std::map<std::string, RankSet, std::less<>> StoredGroups::all() const {
  std::map<std::string, RankSet, std::less<>> groups;
  (void)names_in(file_, session_).read([&](std::string_view name, std::string_view text) {
    const auto ranks = RankSet::parse(text);
    if (!ranks || ranks->empty()) return false;
    groups.insert_or_assign(std::string(name), *ranks);
    return true;
  });
  return groups;
}

}  // namespace eventspace::streams

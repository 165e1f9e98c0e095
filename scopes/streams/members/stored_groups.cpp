#include "scopes/streams/members/stored_groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

#include "paths/security/key_file.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

bool is_first_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

void check_name(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= StoredGroups::longest_name &&
                    is_first_letter(name.front()) && std::ranges::all_of(name, is_name_character);
  if (fits && name != "all") return;
  throw ConfigurationError(fmt::format(
      "'{}' cannot be the name of a group: a name is a letter and at most {} letters, digits, '.', "
      "'-' and '_', and \"all\" is that of all end-points",
      escaped(name.substr(0, 100)), StoredGroups::longest_name - 1));
}

// A session's name may have any characters but '/'.
std::string file_name_of(std::string_view session) {
  std::string text;
  for (const char c : session)
    text += is_name_character(c) && (c != '.' || !text.empty())
                ? std::string(1, c)
                : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return text + ".groups";
}

/// Holds other programs off while a file is changed. The lock is a file beside it, which stays.
class ChangeLock {
 public:
  explicit ChangeLock(const std::filesystem::path& file)
      : lock_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    int failed = 0;
    do failed = lock_.valid() ? ::flock(lock_.get(), LOCK_EX) : -1;
    while (failed != 0 && errno == EINTR);
    if (failed != 0)
      throw EnvironmentError::from_errno(fmt::format("cannot lock the groups in {}", file.string()), errno);
  }

 private:
  FileHandle lock_;
};

}  // namespace

StoredGroups::StoredGroups(std::string_view session)
    : file_(runtime_directory() / file_name_of(session)), session_(session) {}

StoredGroups::Groups StoredGroups::read() const {
  Groups groups;
  std::ifstream in(file_);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t space = line.find(' ');
    const auto ranks = RankSet::parse(space == std::string::npos ? std::string() : line.substr(space + 1));
    if (!ranks || ranks->empty())
      throw EnvironmentError(
          fmt::format("{}, line {}: this is no group; remove the file, or mend the line, "
                      "which is NAME RANKS, such as 'upper 0-3,7'",
                      file_.string(), number));
    groups.insert_or_assign(line.substr(0, space), *ranks);
  }
  return groups;
}

// The file is replaced as a whole.
template <class Change>
void StoredGroups::change(Change how) const {
  const ChangeLock lock(file_);
  Groups groups = read();
  how(groups);
  std::string text;
  for (const auto& [name, ranks] : groups) text += fmt::format("{} {}\n", name, ranks.to_text());
  const std::filesystem::path draft = file_.string() + ".draft";
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);  // of a program that was killed
  write_secret_file(draft, text);
  std::error_code failed;
  std::filesystem::rename(draft, file_, failed);
  if (failed) throw EnvironmentError(fmt::format("cannot write {}: {}", file_.string(), failed.message()));
}

void StoredGroups::store(std::string_view name, const RankSet& ranks) const {
  check_name(name);
  if (ranks.empty()) throw ConfigurationError(fmt::format("the group '{}' would be empty", name));
  change([&](Groups& groups) {
    groups.insert_or_assign(std::string(name), ranks);
    if (groups.size() > most_groups)
      throw ConfigurationError(
          fmt::format("the session '{}' has {} groups already; remove some", escaped(session_), most_groups));
  });
}

bool StoredGroups::remove(std::string_view name) const {
  bool was_there = false;
  change([&](Groups& groups) {
    const auto found = groups.find(name);
    was_there = found != groups.end();
    if (was_there) groups.erase(found);
  });
  return was_there;
}

RankSet StoredGroups::find(std::string_view name) const {
  const Groups groups = read();
  if (const auto found = groups.find(name); found != groups.end()) return found->second;
  std::string known;
  for (const auto& [other, ranks] : groups) known += (known.empty() ? "" : ", ") + other;
  throw ConfigurationError(fmt::format("the session '{}' has no group '{}'; known: {}", escaped(session_),
                                       escaped(name), known.empty() ? "none" : known));
}

std::map<std::string, RankSet, std::less<>> StoredGroups::all() const { return read(); }

}  // namespace eventspace::streams

#include "scopes/streams/members/stored_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <utility>

#include <eventspace/error.h>
#include "paths/security/key_file.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

bool is_first_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

/// Locks out other programs while a file is changed. The lock is a separate file, which stays.
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

void StoredNames::check_name(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= longest_name && is_first_letter(name.front()) &&
                    std::ranges::all_of(name, is_name_character);
  if (fits && name != "all") return;
  throw ConfigurationError(
      fmt::format("'{}' cannot be the name of a group: a name is a letter and at most {} letters, digits, "
                  "'.', '-' and '_', and \"all\" is reserved for all end-points",
                  escaped(name.substr(0, 100)), longest_name - 1));
}

StoredNames::Names StoredNames::read_lines() const {
  return read([](std::string_view, std::string_view) { return true; });
}

StoredNames::Names StoredNames::read(
    const std::function<bool(std::string_view, std::string_view)>& check) const {
  Names names;
  std::ifstream in(file_);
  std::size_t left = max_bytes;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, space);
    const std::string text = line.substr(std::min(space + 1, line.size()));
    if (line.size() > left || text.empty() || !check(name, text))
      throw EnvironmentError(
          fmt::format("{}, line {}: this is not a group; remove the file, or correct the line to NAME and "
                      "its definition, such as 'upper 0-3,7'",
                      file_.string(), number));
    left -= line.size();
    names.insert_or_assign(name, text);
  }
  return names;
}

// The file is replaced as a whole.
void StoredNames::change(const std::function<void(Names&)>& how) const {
  const ChangeLock lock(file_);
  Names names = read_lines();
  how(names);
  std::string text;
  for (const auto& [name, meaning] : names) text += fmt::format("{} {}\n", name, meaning);
  const std::filesystem::path draft = file_.string() + ".draft";
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);  // left by a killed program
  write_secret_file(draft, text);
  std::error_code failed;
  std::filesystem::rename(draft, file_, failed);
  if (failed) throw EnvironmentError(fmt::format("cannot write {}: {}", file_.string(), failed.message()));
}

void StoredNames::store(std::string_view name, std::string_view text) const {
  check_name(name);
  change([&](Names& names) {
    names.insert_or_assign(std::string(name), text);
    if (names.size() > max_names)
      throw ConfigurationError(fmt::format("{} has {} groups already; remove some", of_, max_names));
  });
}

bool StoredNames::remove(std::string_view name) const {
  bool was_there = false;
  change([&](Names& names) {
    const auto found = names.find(name);
    was_there = found != names.end();
    if (was_there) names.erase(found);
  });
  return was_there;
}

}  // namespace eventspace::streams

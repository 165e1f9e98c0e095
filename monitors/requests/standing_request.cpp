#include "monitors/requests/standing_request.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include <eventspace/error.h>
#include "paths/parameters/nearest.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/parsing/words.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view version = "request 1";
constexpr std::size_t lines_of_file = 7;
constexpr std::string_view of_disabled = ".disabled";
constexpr std::string_view of_matches = ".matches";

constexpr const char* directory_name = "requests";

fs::path directory() {
  fs::path made = runtime_directory() / directory_name;
  std::error_code error;
  fs::create_directory(made, error);
  if (error)
    throw EnvironmentError(fmt::format("cannot make the directory {}: {}", made.string(), error.message()));
  return made;
}

fs::path beside(const fs::path& file, std::string_view extension) {
  return file.string() + std::string(extension);
}

void check_name(const std::string& name) {
  constexpr std::size_t longest = 64;
  if (!name.empty() && name.size() <= longest && has_only_letters_digits_or("-_", name)) return;
  throw ConfigurationError(
      fmt::format("--name '{}': expected up to {} letters, digits, '-' and '_'", name, longest));
}

std::vector<std::string> lines_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < lines_of_file && std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns nullopt if the file does not belong to a request, or its process has ended.
std::optional<StandingRequest::Listed> read_request(const fs::path& file) {
  const auto lines = lines_in(file);
  if (lines.size() < lines_of_file || lines[0] != version) return std::nullopt;
  StandingRequest::Listed listed;
  listed.name = file.filename();
  listed.pid = static_cast<std::int32_t>(leading_number<std::uint64_t>(lines[1]));
  if (!is_in_use(file) && !is_alive(listed.pid, leading_number<std::uint64_t>(lines[2]))) return std::nullopt;
  listed.session = lines[3];
  listed.event = lines[4];
  listed.condition = lines[5];
  listed.actions = lines[6];
  const auto counted = lines_in(beside(file, of_matches));
  if (!counted.empty()) listed.matches = leading_number<std::uint64_t>(counted[0]);
  std::error_code error;
  listed.is_enabled = !fs::exists(beside(file, of_disabled), error);
  return listed;
}

void remove_files(const fs::path& file) {
  std::error_code ignored;
  for (const auto& each : {file, beside(file, of_disabled), beside(file, of_matches)})
    fs::remove(each, ignored);
}

ino_t inode_of(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

fs::path existing(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& listed : StandingRequest::all()) names.push_back(listed.name);
  if (std::ranges::find(names, name) != names.end()) return directory() / name;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw ConfigurationError(fmt::format("there is no request '{}'{}", name, hint(name, known, known.size())));
}

// Writes a temporary file, which then gets the name: others never see a partial file, and link() fails if the
// name is taken. Returns the locked file; invalid if the name is taken.
FileHandle write_new(const fs::path& file, const StandingRequest::Text& text) {
  const fs::path draft = beside(file, fmt::format(".{}", ::getpid()));
  {
    std::ofstream out(draft, std::ios::binary);
    out << fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", version, ::getpid(), own_start_ticks(),
                       escaped(text.session), escaped(text.event), escaped(text.condition),
                       escaped(text.actions));
    if (!out.flush())
      throw EnvironmentError::from_errno(fmt::format("cannot write {}", draft.string()), errno);
  }
  FileHandle handle(::open(draft.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (handle.valid()) (void)take_lock(handle);  // without locks, the id of the process has to suffice
  const bool is_made = ::link(draft.c_str(), file.c_str()) == 0;
  const int error = errno;
  std::error_code ignored;
  fs::remove(draft, ignored);
  if (!is_made && error != EEXIST)
    throw EnvironmentError::from_errno(fmt::format("cannot write {}", file.string()), error);
  if (!is_made) handle = FileHandle();
  return handle;
}

}  // namespace

StandingRequest::StandingRequest(const Text& text) : file_(directory() / text.name) {
  check_name(text.name);
  lock_ = write_new(file_, text);
  if (!lock_.valid()) {
    if (const auto other = read_request(file_))
      throw ConfigurationError(fmt::format("the request '{}' already exists (pid {}); choose another --name",
                                           text.name, other->pid));
    remove_files(file_);
    lock_ = write_new(file_, text);
    if (!lock_.valid())
      throw EnvironmentError(fmt::format("another process has just made a request '{}'", text.name));
  }
  inode_ = inode_of(file_);
}

// Another process may have deleted it, and a third one may have taken the name.
StandingRequest::~StandingRequest() {
  if (inode_of(file_) == inode_) remove_files(file_);
}

StandingRequest::State StandingRequest::state() const {
  if (inode_of(file_) != inode_) return State::deleted;
  std::error_code error;
  return fs::exists(beside(file_, of_disabled), error) ? State::disabled : State::enabled;
}

void StandingRequest::tell(std::uint64_t count) const {
  const fs::path draft = beside(file_, fmt::format(".{}", ::getpid()));
  std::ofstream(draft, std::ios::binary) << count << '\n';
  std::error_code ignored;
  if (inode_of(file_) == inode_) fs::rename(draft, beside(file_, of_matches), ignored);
  fs::remove(draft, ignored);
}

std::vector<StandingRequest::Listed> StandingRequest::all() {
  std::vector<Listed> found;
  const auto parent = existing_runtime_directory();
  if (!parent) return found;
  std::error_code gone;  // already removed, or never made
  for (const auto& entry : fs::directory_iterator(*parent / directory_name, gone)) {
    if (entry.path().has_extension()) continue;
    if (auto listed = read_request(entry.path())) {
      found.push_back(std::move(*listed));
    } else {
      remove_files(entry.path());
    }
  }
  std::ranges::sort(found, {}, &Listed::name);
  return found;
}

void StandingRequest::enable(const std::string& name, bool is_enabled) {
  const fs::path file = existing(name);
  if (is_enabled) {
    std::error_code ignored;
    fs::remove(beside(file, of_disabled), ignored);
  } else if (!std::ofstream(beside(file, of_disabled)).flush()) {
    throw EnvironmentError::from_errno(fmt::format("cannot disable '{}'", name), errno);
  }
}

void StandingRequest::remove(const std::string& name) { remove_files(existing(name)); }

}  // namespace eventspace

#include "scopes/streams/attaching/session_places.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>

#include <eventspace/error.h>
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

constexpr std::string_view places_extension = ".places";
constexpr std::size_t longest_file = 1u << 20;

std::string head_of(std::string_view session) { return fmt::format("session {}\n", session); }

void write_all(const FileHandle& file, std::string_view text, const std::filesystem::path& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR)
      throw EnvironmentError::from_errno(fmt::format("cannot write {}", name.string()), errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(const FileHandle& file) {
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() < longest_file) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

bool is_same_file(const FileHandle& file, const std::filesystem::path& name) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file.get(), &open) == 0 && ::stat(name.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// The text of the file; nullopt if it cannot be read, or is a leftover, which is removed.
std::optional<std::string> living_text(const std::filesystem::path& name) {
  const FileHandle file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return std::nullopt;
  if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return read_all(file);
  std::error_code ignored;
  if (is_same_file(file, name)) std::filesystem::remove(name, ignored);
  return std::nullopt;
}

}  // namespace

// The file is locked before it gets its name: so a process that finds it can rely on the lock.
SessionPlaces::SessionPlaces(std::string_view session, std::string_view network, std::uint32_t process,
                             std::string_view text)
    : file_(runtime_directory() / fmt::format("{}.{}{}", network, process, places_extension)),
      owner_(::getpid()) {
  const std::filesystem::path draft = fmt::format("{}.{}.draft", file_.string(), owner_);
  lock_ = FileHandle(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_.valid() || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", draft.string()), errno);
  write_all(lock_, head_of(session), draft);
  write_all(lock_, text, draft);
  if (::rename(draft.c_str(), file_.c_str()) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", file_.string()), errno);
}

SessionPlaces::~SessionPlaces() {
  std::error_code ignored;
  if (owner_ == ::getpid()) std::filesystem::remove(file_, ignored);
}

std::vector<SessionPlaces::Found> SessionPlaces::find(std::string_view session) {
  const auto directory = existing_runtime_directory();
  if (!directory) return {};
  std::map<std::string, std::string> texts;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(*directory, gone)) {
    if (entry.path().extension() != places_extension) continue;
    auto text = living_text(entry.path());
    if (!text || !text->starts_with(head_of(session))) continue;
    const std::string network = entry.path().stem().stem();
    texts[network] += text->substr(head_of(session).size());
  }
  std::vector<Found> found;
  found.reserve(texts.size());
  for (auto& [network, text] : texts) found.push_back({network, std::move(text)});
  return found;
}

}  // namespace eventspace::streams

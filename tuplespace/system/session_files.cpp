#include "tuplespace/system/session_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::vector<std::filesystem::path> find_of_kind(std::string_view session, std::string_view node,
                                                const std::filesystem::path& directory,
                                                bool (*is_kind)(const std::filesystem::path&)) {
  auto found = session_files::find(directory, session_files::prefix(session, node));
  std::erase_if(found, [is_kind](const auto& file) { return !is_kind(file); });
  return found;
}

bool is_segment(const std::filesystem::path& file) {
  return !is_draft(file) && !is_element_file(file) && !is_control_file(file);
}

}  // namespace

namespace session_files {

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string prefix(std::string_view session, std::string_view node) {
  std::string prefix = fmt::format("eventspace.{}.{}.", ::geteuid(), escaped(session));
  if (!node.empty()) prefix += escaped(node) + ".";
  return prefix;
}

std::string own_name(const SegmentIdentity& identity, std::string_view suffix) {
  return fmt::format("{}{}.{}{}", prefix(identity.session, identity.node), escaped(identity.process),
                     ::getpid(), suffix);
}

std::vector<std::filesystem::path> find(const std::filesystem::path& directory, std::string_view prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  }
  // A directory that does not exist contains no files; any other error leaves the answer unknown.
  if (error && error != std::errc::no_such_file_or_directory) {
    throw EnvironmentError::from_errno(fmt::format("cannot list the session files in {}", directory.string()),
                                       error.value());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace session_files

std::filesystem::path segment_directory() {
  const char* const chosen = std::getenv("EVENTSPACE_SHM_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/dev/shm";
}

std::vector<std::filesystem::path> find_segments(std::string_view session, std::string_view node,
                                                 const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, is_segment);
}

std::vector<std::filesystem::path> find_element_files(std::string_view session, std::string_view node,
                                                      const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, is_element_file);
}

std::vector<std::filesystem::path> find_control_files(std::string_view session, std::string_view node,
                                                      const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, is_control_file);
}

bool is_element_file(const std::filesystem::path& file) {
  return file.extension() == session_files::element_file_suffix;
}

bool is_control_file(const std::filesystem::path& file) {
  return file.extension() == session_files::control_file_suffix;
}

std::filesystem::path control_file_of(std::filesystem::path segment) {
  return segment += session_files::control_file_suffix;
}

bool is_draft(const std::filesystem::path& file) { return file.extension() == session_files::draft_suffix; }

}  // namespace eventspace

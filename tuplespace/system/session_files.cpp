#include "tuplespace/system/session_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <eventspace/error.h>
#include "tuplespace/parsing/words.h"
#include "tuplespace/system/private_directory.h"

namespace eventspace {
namespace {

enum class Kind : std::uint8_t { segment, annex, elements, control, draft };

Kind kind_of(const std::filesystem::path& file) {
  if (is_draft(file)) return Kind::draft;
  if (is_annex(file)) return Kind::annex;
  if (is_control_file(file)) return Kind::control;
  return is_element_file(file) ? Kind::elements : Kind::segment;
}

std::vector<std::filesystem::path> find_of_kind(std::string_view session, std::string_view node,
                                                const std::filesystem::path& directory, Kind kind) {
  auto found = session_files::find(directory, session_files::prefix(session, node));
  std::erase_if(found, [kind](const auto& file) { return kind_of(file) != kind; });
  return found;
}

}  // namespace

namespace session_files {

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_letter_or_digit(c) || c == '-' || c == '_') {
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

std::string suffix_of_annex(std::string_view name) {
  return fmt::format(".{}{}", escaped(name), annex_suffix);
}

std::string segment_name_of(const std::filesystem::path& file) {
  return (is_annex(file) ? file.stem().stem() : file.filename()).string();
}

std::vector<std::filesystem::path> find(const std::filesystem::path& directory, std::string_view prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  }
  // A missing directory counts as empty; any other error leaves the answer unknown.
  if (error && error != std::errc::no_such_file_or_directory) {
    throw EnvironmentError::from_errno(fmt::format("cannot list the session files in {}", directory.string()),
                                       error.value());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace session_files

std::filesystem::path shared_memory_directory() {
  const char* const chosen = std::getenv("EVENTSPACE_SHM_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/dev/shm";
}

std::string own_directory_name() { return fmt::format("eventspace-{}", ::geteuid()); }

std::filesystem::path own_directory_in(const std::filesystem::path& directory) {
  return is_own_directory(directory) ? directory : private_directory(directory, own_directory_name());
}

std::filesystem::path segment_directory() { return own_directory_in(shared_memory_directory()); }

std::vector<std::filesystem::path> find_segments(std::string_view session, std::string_view node,
                                                 const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, Kind::segment);
}

std::vector<std::filesystem::path> find_element_files(std::string_view session, std::string_view node,
                                                      const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, Kind::elements);
}

std::vector<std::filesystem::path> find_control_files(std::string_view session, std::string_view node,
                                                      const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, Kind::control);
}

std::vector<std::filesystem::path> find_annexes(std::string_view session, std::string_view node,
                                                const std::filesystem::path& directory) {
  return find_of_kind(session, node, directory, Kind::annex);
}

bool is_annex(const std::filesystem::path& file) { return file.extension() == session_files::annex_suffix; }

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

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The files that the processes of a session leave in shared memory: segments with trace elements
/// (tuplespace/trace/segment.h) and element files with shared elements (tuplespace/shared/element_file.h).
/// This is only about their names and where they lie:
///
///     eventspace.UID.SESSION.NODE.PROCESS.PID              a segment
///     eventspace.UID.SESSION.NODE.PROCESS.PID.elements     an element file
///     ...new                                               a draft: not complete yet, never opened
///
/// Every character of a name but letters, digits, '-' and '_' is written as %XX, so that dots separate.
namespace eventspace {

/// The process that a segment or element file belongs to.
struct SegmentIdentity {
  std::string session;
  std::string node;
  std::string process;
  std::uint64_t fingerprint{0};  ///< of the plan that gives the file's numbers their meaning
};

/// The directory that these files lie in: $EVENTSPACE_SHM_DIR, or /dev/shm when it is unset or empty.
std::filesystem::path segment_directory();

/// The segments in `directory` that this user's processes of `node` (any node, when empty) may have made in
/// `session`, sorted by name; empty when there is no such directory. Throws EnvironmentError when the
/// directory cannot be read.
std::vector<std::filesystem::path> find_segments(
    std::string_view session, std::string_view node = {},
    const std::filesystem::path& directory = segment_directory());

/// The same for element files.
std::vector<std::filesystem::path> find_element_files(
    std::string_view session, std::string_view node = {},
    const std::filesystem::path& directory = segment_directory());

/// Whether `file` is an element file, judged by its name alone.
bool is_element_file(const std::filesystem::path& file);

namespace session_files {

inline constexpr std::string_view element_file_suffix = ".elements";

/// `name` as it appears in file names, see above.
std::string escaped(std::string_view name);
/// "eventspace.UID.SESSION." and, unless `node` is empty, "NODE.": how names of a session's files begin.
std::string prefix(std::string_view session, std::string_view node);
/// "eventspace.UID.SESSION.NODE.PROCESS.PID" for the calling process; `suffix` is appended.
std::string own_name(const SegmentIdentity& identity, std::string_view suffix = {});
/// The files in `directory` whose names begin with `prefix`, drafts included, sorted by name; empty when
/// there is no such directory. Throws EnvironmentError when the directory cannot be read, because then
/// nothing can be said about what is in it.
std::vector<std::filesystem::path> find(const std::filesystem::path& directory, std::string_view prefix);

}  // namespace session_files
}  // namespace eventspace

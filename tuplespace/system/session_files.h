#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/system/job_member.h"

/// The files that the processes of a session leave in shared memory: segments with trace elements
/// (tuplespace/trace/segment.h), control files that switch what segments record (tuplespace/trace/
/// control_file.h), and element files with shared elements (tuplespace/shared/element_file.h). Only their
/// names and their directory are handled here:
///
///     eventspace.UID.SESSION.NODE.PROCESS.PID              a segment
///     eventspace.UID.SESSION.NODE.PROCESS.PID.NAME.annex   an annex: a further segment of the process
///     eventspace.UID.SESSION.NODE.PROCESS.PID.control      its control file
///     eventspace.UID.SESSION.NODE.PROCESS.PID.elements     an element file
///     ....new                                              a draft: not complete yet, never opened
///
/// Every character of a name except letters, digits, '-' and '_' is written as %XX, so the dots separate
/// fields, and names cannot lead out of the directory. All functions are thread-safe as long as no thread
/// changes the environment.
namespace eventspace {

/// The process to which a segment, control file or element file belongs.
struct SegmentIdentity {
  std::string session;
  std::string node;
  std::string process;
  std::uint64_t fingerprint{0};       ///< of the plan to which the numbers in the file belong
  std::optional<JobMember> member{};  ///< if the process belongs to an MPI job
};

/// $EVENTSPACE_SHM_DIR, or /dev/shm if that is unset or empty.
std::filesystem::path shared_memory_directory();
/// "eventspace-UID"
std::string own_directory_name();
/// Returns the directory of this user's files in `directory`: itself if it belongs to this user and other
/// users may not make files in it, otherwise its subdirectory eventspace-UID, which is made if it is missing.
/// Files of other users are not even read; see tuplespace/system/private_directory.h. Throws EnvironmentError
/// if the subdirectory is not safe.
std::filesystem::path own_directory_in(const std::filesystem::path& directory);
/// The directory of these files: own_directory_in(shared_memory_directory()).
std::filesystem::path segment_directory();

/// Returns the segments in `directory` that processes of this user on `node` (on any node if empty) may have
/// made in `session`, sorted by name; empty if the directory does not exist. Throws EnvironmentError if the
/// directory cannot be read.
std::vector<std::filesystem::path> find_segments(
    std::string_view session, std::string_view node = {},
    const std::filesystem::path& directory = segment_directory());

/// The same for element files.
std::vector<std::filesystem::path> find_element_files(
    std::string_view session, std::string_view node = {},
    const std::filesystem::path& directory = segment_directory());

/// The same for control files.
std::vector<std::filesystem::path> find_control_files(
    std::string_view session, std::string_view node = {},
    const std::filesystem::path& directory = segment_directory());

/// The same for the annexes of segments, of all names.
std::vector<std::filesystem::path> find_annexes(std::string_view session, std::string_view node,
                                                const std::filesystem::path& directory);

/// Whether `file` is an annex, judged by its name alone.
bool is_annex(const std::filesystem::path& file);
/// Whether `file` is an element file, judged by its name alone.
bool is_element_file(const std::filesystem::path& file);
/// The same for a control file.
bool is_control_file(const std::filesystem::path& file);
/// Returns the place of the control file of a segment's process.
std::filesystem::path control_file_of(std::filesystem::path segment);
/// The same as is_element_file for the draft of any of these files.
bool is_draft(const std::filesystem::path& file);

namespace session_files {

inline constexpr std::string_view element_file_suffix = ".elements";
inline constexpr std::string_view control_file_suffix = ".control";
inline constexpr std::string_view draft_suffix = ".new";
inline constexpr std::string_view annex_suffix = ".annex";

/// Returns ".NAME.annex".
std::string suffix_of_annex(std::string_view name);
/// Returns the name of the segment to which an annex belongs; for any other file, its name without the
/// directory.
std::string segment_name_of(const std::filesystem::path& file);

/// Returns `name` as it appears in file names, see above.
std::string escaped(std::string_view name);
/// Returns the common prefix of the names of a session's files: "eventspace.UID.SESSION." and, unless `node`
/// is empty, "NODE.".
std::string prefix(std::string_view session, std::string_view node);
/// Returns "eventspace.UID.SESSION.NODE.PROCESS.PID" for the calling process, followed by `suffix`.
std::string own_name(const SegmentIdentity& identity, std::string_view suffix = {});
/// Returns the files in `directory` whose names begin with `prefix`, drafts included, sorted by name; empty
/// if the directory does not exist. Throws EnvironmentError if the directory cannot be read, because its
/// content is unknown then.
std::vector<std::filesystem::path> find(const std::filesystem::path& directory, std::string_view prefix);

}  // namespace session_files
}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/shared/shared_element.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {

/// The description of one shared element in an element file.
struct SharedElementSpec {
  ElementConfig config;
  std::size_t room{64u << 10};  ///< bytes of encoded tuples kept; SharedElement::min_room to max_room
};

class ElementFileView;
class PublishedFile;

/// The file in shared memory that holds the shared elements of one process, their home. It lies beside the
/// segments as "eventspace.UID.SESSION.NODE.PROCESS.PID.elements", mode 0600. It appears complete or not at
/// all, and its memory is reserved, so that operations never fault for lack of memory.
///
/// The destructor closes the elements for all processes and removes the file. If the process is killed, the
/// file stays until it is removed (SharedSpace ignores it). A process that only uses elements of other
/// processes may have a file without elements, which shows them when it ends.
///
/// Not thread-safe, except its view().
///
/// Layout (element_file_layout.h): header | directory | elements.
class ElementFile {
 public:
  struct Config {
    SegmentIdentity identity;
    std::vector<SharedElementSpec> elements;
    std::filesystem::path directory = segment_directory();
  };

  /// Throws ConfigurationError for names that are too long or appear twice, for a room out of range, and for
  /// configurations that Element's constructor refuses; EnvironmentError if the file cannot be made, there is
  /// not enough memory, or the file of that name is in use, because this process already has one. On failure,
  /// no file is left behind or replaced.
  explicit ElementFile(const Config& config);
  ~ElementFile();
  ElementFile(const ElementFile&) = delete;
  ElementFile& operator=(const ElementFile&) = delete;

  /// The elements, for use by the home process itself.
  [[nodiscard]] ElementFileView& view() noexcept { return *view_; }

 private:
  std::unique_ptr<PublishedFile> file_;
  std::unique_ptr<ElementFileView> view_;
};

/// An element file, mapped by a process that uses its elements. The content is not trusted: before anything
/// is used, the constructor checks the file's owner and mode, sizes, offsets, names, types, and the checksum
/// of header and directory. After that only the memory of the elements is accessed, within bounds fixed at
/// opening.
///
/// Thread-safe. No thread may be inside a function of an element when the view is destroyed.
///
///     ElementFileView file(find_element_files("session").at(0));
///     if (SharedElement* box = file.find("box")) box->perform(operation);
class ElementFileView {
 public:
  /// Throws EnvironmentError with the reason why the file is refused ("... is truncated: ...").
  explicit ElementFileView(const std::filesystem::path& file);
  ~ElementFileView();
  ElementFileView(const ElementFileView&) = delete;
  ElementFileView& operator=(const ElementFileView&) = delete;

  [[nodiscard]] const SegmentIdentity& identity() const noexcept;
  [[nodiscard]] std::int32_t pid() const noexcept;
  [[nodiscard]] std::uint64_t process_start_ticks() const noexcept;
  /// The home process as it identifies itself; see ProcessSight for whether it is alive.
  [[nodiscard]] ProcessIdentity owner() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

  [[nodiscard]] std::vector<SharedElement>& elements() noexcept;
  /// Returns null if no element has that name.
  [[nodiscard]] SharedElement* find(std::string_view name) noexcept;

  [[nodiscard]] std::string process_text() const;  ///< "process p0 (pid 7)"
  /// Returns whether the home process has left or is gone. The end of a killed process is noticed within a
  /// tenth of a second.
  [[nodiscard]] bool has_ended() noexcept;
  /// For the home process: closes the elements for all processes, and marks the file as left.
  void end() noexcept;
  /// Ends all waiting operations of this process on these elements, and every later one, with Status::closed.
  /// A later write is still carried out if there is room for it within a second: with such a write, an ending
  /// process informs processes that wait for it; a write under way to a server would not be stopped either.
  void leave() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

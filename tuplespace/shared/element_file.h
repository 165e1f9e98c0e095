#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/shared/shared_element.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {

/// One shared element to lay out in an element file.
struct SharedElementSpec {
  ElementConfig config;
  std::size_t room{64u << 10};  ///< SharedElement::min_room to max_room
};

class ElementFileView;

/// The file in shared memory with the shared elements of one process, their home. It lies beside the
/// segments, as "eventspace.UID.SESSION.NODE.PROCESS.PID.elements", mode 0600, and appears complete or not at
/// all; its memory is reserved, so that no operation faults for lack of it. On destruction its elements are
/// closed, for everyone, and it is removed; of a process that is killed it stays, until somebody removes it.
/// A process that only uses elements of others may have one without elements, so that they know of its end.
///
/// Layout (element_file_layout.h): header | directory | elements.
class ElementFile {
 public:
  struct Config {
    SegmentIdentity identity;
    std::vector<SharedElementSpec> elements;
    std::filesystem::path directory = segment_directory();
  };

  /// Throws ConfigurationError for names that are too long or there twice, rooms out of range and what
  /// Element refuses, EnvironmentError when the file cannot be made or there is no room for it; nothing is
  /// left then.
  explicit ElementFile(const Config& config);
  ~ElementFile();
  ElementFile(const ElementFile&) = delete;
  ElementFile& operator=(const ElementFile&) = delete;

  /// The elements, for the process itself.
  [[nodiscard]] ElementFileView& view() noexcept { return *view_; }

 private:
  std::unique_ptr<ElementFileView> view_;
  std::int32_t owner_;
};

/// An element file, mapped to use its elements. Everything in it is distrusted: the constructor checks the
/// file's owner and mode, sizes, offsets, names, types and the checksum of header and directory before it
/// uses any; after that only the elements' own memory is used, within bounds fixed at opening.
///
/// Thread-safe. Nobody may be inside an element when it is destroyed.
class ElementFileView {
 public:
  /// Throws EnvironmentError whose text says why the file is refused ("... is truncated: ...").
  explicit ElementFileView(const std::filesystem::path& file);
  ~ElementFileView();
  ElementFileView(const ElementFileView&) = delete;
  ElementFileView& operator=(const ElementFileView&) = delete;

  [[nodiscard]] const SegmentIdentity& identity() const noexcept;
  [[nodiscard]] std::int32_t pid() const noexcept;
  [[nodiscard]] std::uint64_t process_start_ticks() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

  [[nodiscard]] std::vector<SharedElement>& elements() noexcept;
  /// Null when there is none of that name.
  [[nodiscard]] SharedElement* find(std::string_view name) noexcept;

  [[nodiscard]] std::string process_text() const;  ///< "process p0 (pid 7)"
  /// Its process has left or is gone; known a tenth of a second later at the latest.
  [[nodiscard]] bool has_ended() noexcept;
  /// For its process: closes the elements for everyone, and says that it has left.
  void end() noexcept;
  /// Ends all waiting of this process, and every later operation of it, with Status::closed. A write that
  /// comes later is done nevertheless, if there is room for it within a second: a process that ends tells
  /// those who wait for it so, and on its way to a server its write would not be stopped either.
  void leave() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/shared/element_file.h"

namespace eventspace {

/// The shared elements of one session on one node, as used by one process: its own elements, in a file that
/// the space makes, and the elements of other processes, whose files it opens at the first request. A process
/// that is restarted has a new file: a caller that finds an element of the old file closed calls abandon()
/// and then find() again.
///
/// Expected outcomes, such as a process that has not joined yet, are values (Found::status). Thread-safe. No
/// thread may be inside a function of an element when the space is destroyed.
///
///     SharedSpace space({.session = "gas", .node = "n1", .fingerprint = plan.fingerprint});
///     const SharedSpace::Found box = space.find("p1", "box");
///     if (box.element) box.element->perform(operation);
class SharedSpace {
 public:
  struct Config {
    std::string session;
    std::string node;
    std::uint64_t fingerprint{0};  ///< of the plan; files made from another plan are refused
    std::filesystem::path directory = segment_directory();
  };
  explicit SharedSpace(Config config) : config_(std::move(config)) {}

  /// Makes the file with the elements of process `name`, which is this process. Call at most once, and before
  /// any other function. Throws the exceptions of ElementFile's constructor.
  void host(const std::string& name, std::vector<SharedElementSpec> elements);

  /// An element, or the reason why it is missing.
  struct Found {
    std::shared_ptr<ElementFileView> file{};  ///< keeps the element alive
    SharedElement* element{nullptr};
    Status status{Status::ok};  ///< timed_out if it may still come; with refused and closed, waiting does not
                                ///< help
    std::string why{};
  };
  /// Finds an element of a process. Does not block; searches the directory at most every look_interval.
  Found find(const std::string& process, std::string_view element);
  static constexpr std::chrono::milliseconds look_interval{10};

  /// Returns the file of a process that runs, or ran when its file was first found; null if it has not joined
  /// yet or its file is refused. Does not block.
  std::shared_ptr<ElementFileView> find_process(const std::string& process);

  /// Stops using `file`, in which the caller found a closed element. A file of this process itself stays.
  void abandon(const std::string& process, const std::shared_ptr<ElementFileView>& file);

  /// Blocks for look_interval, but not beyond `deadline` and not after close().
  void wait_a_little(Deadline deadline);

  /// Ends all waiting operations of this process, and of other processes on its elements, with
  /// Status::closed, and every later operation. This process leaves the elements of others that it has
  /// opened: see ElementFileView::leave.
  void close();

 private:
  struct Home {
    std::shared_ptr<ElementFileView> file;
    std::string refusal;
    std::chrono::steady_clock::time_point next_look;
  };
  Home& look_for(const std::string& process);
  [[nodiscard]] std::shared_ptr<ElementFileView> open(const std::filesystem::path& file, Home& home) const;
  [[nodiscard]] std::string why_missing(const std::string& process) const;

  const Config config_;
  std::optional<ElementFile> own_file_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable closing_;
  bool closed_{false};
  std::map<std::string, Home> homes_;  // by process
};

}  // namespace eventspace

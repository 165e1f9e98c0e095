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

/// The shared elements of one session on one node, as one process uses them: its own, in a file that it
/// makes, and those of other processes, whose files it opens when they are first asked for. A process that
/// was started anew has a new file; who finds an element of the old one closed abandons that and asks again.
///
/// Thread-safe. Nobody may be inside an element when it is destroyed.
class SharedSpace {
 public:
  struct Config {
    std::string session;
    std::string node;
    std::uint64_t fingerprint{0};  ///< of the plan; files of another one are refused
    std::filesystem::path directory = segment_directory();
  };
  explicit SharedSpace(Config config) : config_(std::move(config)) {}

  /// Makes the file with the elements of process `name`, which this process is. Once at most, and before
  /// anybody uses it. Throws as ElementFile does.
  void host(const std::string& name, std::vector<SharedElementSpec> elements);

  /// An element, or why there is none.
  struct Found {
    std::shared_ptr<ElementFileView> file{};  ///< keeps the element
    SharedElement* element{nullptr};
    Status status{Status::ok};  ///< timed_out: it may come yet; refused or closed: waiting does not help
    std::string why{};
  };
  /// Does not wait; looks for files at most every look_interval.
  Found find(const std::string& process, std::string_view element);
  static constexpr std::chrono::milliseconds look_interval{10};

  /// The file of a process that is there, or was when it was found first; null when it has not come yet, or
  /// its file is refused. As find.
  std::shared_ptr<ElementFileView> find_process(const std::string& process);

  /// The file that yielded a closed element is not used any more.
  void abandon(const std::string& process, const std::shared_ptr<ElementFileView>& file);

  /// Sleeps for look_interval, but not past `deadline`, nor when the space is closed.
  void wait_a_little(Deadline deadline);

  /// Ends all waiting of this process, and of others on its own elements, with Status::closed; every later
  /// operation too. Elements of others that are open are left: see ElementFileView::leave.
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
  std::mutex mutex_;  // guards all below
  std::condition_variable closing_;
  bool closed_{false};
  std::map<std::string, Home> homes_;  // by process
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/stage.h>
#include "collectors/event_collector.h"
#include "pathmaps/sessions/local_id_pool.h"
#include "paths/links/link_pool.h"
#include "tuplespace/element.h"
#include "tuplespace/trace/growing_traces.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// Makes the paths of a process in a session without a pathmap: to elements on the session's server, which is
/// started if none runs. Such a path is
///
///     event collector > remote stage ~~~> element
///
/// Thread-safe: each thread makes its own paths.
class OpenPaths {
 public:
  struct Config {
    std::string session;
    std::string process;
    Segment* segment{nullptr};       ///< null if nothing is recorded
    GrowingTraces* traces{nullptr};  ///< of the segment
    std::shared_ptr<LocalIdPool> numbers;
  };
  explicit OpenPaths(Config config) : config_(std::move(config)) {}

  /// The thread that uses the path. `links` and `recorded` must outlive the path.
  struct User {
    std::optional<std::uint32_t> number;  ///< its process-local number; nullopt if the thread could not be
                                          ///< registered
    LinkPool* links;
    const RecordedThread* recorded;
  };
  struct Made {
    std::unique_ptr<Stage> first;
    std::shared_ptr<const void> hold{};  ///< must outlive `first`
    std::optional<std::size_t> trace{};  ///< index of its trace element; nullopt if it is not recorded
  };
  /// Makes the path `name` to the element of `element.name`. Without a free trace element, not even a spare
  /// one, the path is not recorded; readers are informed (GrowingTraces). Throws ConfigurationError for an
  /// invalid element name; EnvironmentError if the session does not have a server and none can be started.
  /// May wait for the server to start.
  [[nodiscard]] Made make(std::string_view name, const ElementConfig& element, const User& user);

 private:
  [[nodiscard]] Made collect(std::string_view name, std::unique_ptr<Stage> next, const User& user);

  Config config_;
};

}  // namespace eventspace

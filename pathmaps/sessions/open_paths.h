#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/event_collector.h"
#include "pathmaps/sessions/own_number_pool.h"
#include "paths/links/link_pool.h"
#include "paths/stage.h"
#include "tuplespace/element.h"
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
    Segment* segment{nullptr};  ///< null: nothing is recorded
    std::shared_ptr<OwnNumberPool> numbers;
  };
  explicit OpenPaths(Config config) : config_(std::move(config)) {}

  /// The thread that uses the path. `links` and `recorded` must outlive the path.
  struct User {
    std::optional<std::uint32_t> number;  ///< its own number; none: the thread could not be registered
    LinkPool* links;
    const RecordedThread* recorded;
  };
  /// Makes the path `name` to the element of `element.name`. If the segment has no room for its trace element,
  /// the path is not recorded, which the segment counts. Throws ConfigurationError for a name that cannot be
  /// an element's; EnvironmentError if the session has no server and none can be started. May wait for the
  /// server to start.
  [[nodiscard]] std::unique_ptr<Stage> make(std::string_view name, const ElementConfig& element,
                                            const User& user);

 private:
  [[nodiscard]] std::unique_ptr<Stage> collect(std::string_view name, std::unique_ptr<Stage> next,
                                               const User& user);

  Config config_;
};

}  // namespace eventspace

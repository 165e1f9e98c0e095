#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paths/links/link.h"
#include "paths/links/network.h"

namespace eventspace {

/// The links of one thread, one for each endpoint it talks to. Not thread-safe; handing the pool over to
/// another thread needs a happens-before.
class LinkPool {
 public:
  explicit LinkPool(Network& network, Progress progress = Progress::by_callers) noexcept;
  ~LinkPool();
  LinkPool(const LinkPool&) = delete;
  LinkPool& operator=(const LinkPool&) = delete;

  /// The link to `endpoint`, made at the first call. Throws ConfigurationError for an endpoint that cannot
  /// be.
  Link& to(const std::string& endpoint);

  [[nodiscard]] Network& network() noexcept { return *network_; }
  /// Of all its links together.
  [[nodiscard]] Link::Counts counts() const noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return links_.empty(); }
  /// Whether any of its links has something that waits for its connection.
  [[nodiscard]] bool has_unsent() const noexcept;

  /// Waits for news of any of its links, until the deadline at the longest, and makes progress where there is
  /// some. May return sooner. Not for Progress::by_loop.
  void wait(Deadline deadline);

  /// For event loops of paths/, see Link.
  void add_to(InputPoll& poll);
  void progress(const InputPoll& poll);
  /// Has idle links read what nobody asked for. Now and then.
  void tidy();

 private:
  Network* network_;
  Progress progress_;
  std::unique_ptr<DescriptorSet> connections_;  // of all links, once there is one
  std::map<std::string, std::unique_ptr<Link>> links_;
  std::size_t connections_place_{0};                        // by the last add_to
  std::vector<std::pair<Link*, Link::Places>> waited_for_;  // by the last add_to
};

}  // namespace eventspace

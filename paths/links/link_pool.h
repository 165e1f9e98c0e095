#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paths/links/link.h"
#include "paths/links/network.h"

namespace eventspace {

class LoopDescriptor;

/// The links of one thread, one for each server that it contacts. Owns them; stages keep references, so the
/// pool must outlive the stages made with it. Not thread-safe: used by one thread at a time, with a
/// happens-before when it is handed over to another thread.
class LinkPool {
 public:
  explicit LinkPool(Network& network, Progress progress = Progress::by_callers) noexcept;
  ~LinkPool();
  LinkPool(const LinkPool&) = delete;
  LinkPool& operator=(const LinkPool&) = delete;

  /// Returns the link to `endpoint` ("tcp://HOST:PORT", "local://NAME"), made at the first call. Does not
  /// wait for the connection. Throws ConfigurationError for a malformed endpoint, EnvironmentError if the
  /// process has no descriptors left. The reference is valid until the pool is destroyed.
  Link& to(const std::string& endpoint);

  [[nodiscard]] Network& network() noexcept { return *network_; }
  /// The sums over all links.
  [[nodiscard]] Link::Counts counts() const noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return links_.empty(); }
  /// Whether a request waits for the connection of its link.
  [[nodiscard]] bool has_unsent() const noexcept;

  /// Blocks until there is news on any link or the deadline has passed, and makes progress there. May return
  /// earlier. Not for pools with Progress::by_loop.
  void wait(Deadline deadline);

  /// The same for a caller that waits elsewhere: `outside` becomes readable when wait() would not block. Call
  /// after each wait(Deadline::now()).
  void show_to(LoopDescriptor& outside, Deadline deadline);

  /// For event loops of paths/: see Link::add_to.
  void add_to(InputPoll& poll);
  void progress(const InputPoll& poll);
  /// Reads late replies from the sockets of idle links. Loops call it now and then.
  void tidy();

 private:
  [[nodiscard]] std::chrono::milliseconds longest_wait() const;

  Network* network_;
  Progress progress_;
  std::unique_ptr<DescriptorSet> connections_;  // connection events of all links; null before the first link
  std::map<std::string, std::unique_ptr<Link>> links_;
  std::size_t connections_place_{0};                        // set by the last add_to
  std::vector<std::pair<Link*, Link::Places>> waited_for_;  // set by the last add_to
  std::unique_ptr<InputPoll> poll_;                         // of wait(); kept for its memory
};

}  // namespace eventspace

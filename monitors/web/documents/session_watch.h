#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "monitors/top/playback.h"
#include "monitors/web/documents/document.h"
#include "monitors/web/documents/happenings.h"
#include "monitors/web/documents/session_look.h"
#include "monitors/web/documents/steering.h"

namespace eventspace::web {

/// Watches one session in a thread of its own and publishes its state in a document. All pages share it,
/// and none can hold it up. If the session cannot be watched, the document has the reason, and it is tried
/// again from time to time: the session may come back. Thread-safe.
class SessionWatch {
 public:
  /// When it looks: always, because the user named the session, or only while a page is open.
  enum class When : std::uint8_t { always, with_pages };

  SessionWatch(WatchedSource source, When when, std::function<void()> on_change);
  ~SessionWatch();  ///< waits for the pull under way
  SessionWatch(const SessionWatch&) = delete;
  SessionWatch& operator=(const SessionWatch&) = delete;

  [[nodiscard]] Document& document() noexcept { return *document_; }
  /// Opens a feed (Document::open).
  std::shared_ptr<Feed> open(std::set<std::string> wanted);

  /// Steers the playback of a recording soon, in its own thread. False for a running session, and before the
  /// recording is open.
  using Order = std::function<void(top::Playback&)>;
  bool steer(Order order);
  /// The orders for a running session.
  [[nodiscard]] Steering& steering() noexcept { return steering_; }

  /// The session has ended: takes a last look, which the document shows from then on. Blocks until it is
  /// taken, for up to `patience`.
  void finish(std::chrono::nanoseconds patience);

 private:
  void run();
  void try_to_watch();
  void watch();
  void take_orders(SessionLook& look);
  void publish(SessionLook& look, bool is_last);
  bool is_finishing();
  void wake();
  void publish_failure(const std::string& reason);
  void publish_unbegun(bool is_last);
  void note_end(const Looked& looked, double at_s);
  bool wait(std::chrono::nanoseconds pause, bool stands_still);

  WatchedSource source_;
  const When when_;
  std::shared_ptr<Document> document_;
  Happenings happenings_;             // of the thread, like the next
  std::optional<double> ended_at_s_;  // when all threads had ended
  bool was_found_{false};
  std::mutex mutex_;  // guards the next five
  std::vector<Order> orders_;
  bool is_woken_{false};
  bool is_finishing_{false};
  bool has_finished_{false};
  bool is_over_{false};
  std::condition_variable changed_;
  std::condition_variable finished_;
  Steering steering_;  // may wake the thread
  std::atomic<bool> is_recording_{false};
  std::thread thread_;
};

}  // namespace eventspace::web

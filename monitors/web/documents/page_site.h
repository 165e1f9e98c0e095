#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/web/documents/session_watch.h"
#include "monitors/web/http/site.h"
#include "monitors/web/timeline/timeline_desk.h"

namespace eventspace::web {

/// A session that pages can choose.
struct OfferedSession {
  std::string name;
  std::string_view kind;  ///< "session", "pathmap" or "recording"
  std::string state;      ///< a few words
  WatchedSource source;
};

/// The addresses below /api/, of which docs/web.md has the list: the sessions, and for each its document as a
/// stream of events. A session is watched from the first time that a page asks for it. Used by the thread of
/// a server, except offer().
class PageSite final : public Site {
 public:
  /// `when`: how the sessions are watched. `on_change` is called after each change of a document.
  PageSite(std::string version, SessionWatch::When when, std::function<void()> on_change);
  ~PageSite() override;

  /// Replaces the list of sessions. A session keeps its number for as long as the site exists, by its name;
  /// one that is no longer in the list stays, with the state "gone". Thread-safe.
  void offer(const std::vector<OfferedSession>& sessions);

  /// Starts to watch all sessions of the list. Thread-safe.
  void watch_all();
  /// The watched sessions have ended (SessionWatch::finish). Thread-safe.
  void finish(std::chrono::nanoseconds patience);
  /// Whether a page has asked for the list since the last call. Thread-safe.
  bool take_interest() noexcept { return is_asked_.exchange(false); }

  Answer answer(const Request& request) override;

 private:
  struct Entry {
    OfferedSession session;
    bool is_gone{false};
    std::unique_ptr<SessionWatch> watch{};
    std::unique_ptr<TimelineDesk> timeline{};  // from the first question on
  };

  Answer list();
  Answer of_session(std::string_view rest, const Request& request);
  SessionWatch& watch_of(Entry& entry);
  Answer ask(Entry& entry, std::string_view what, const Request& request);
  static Answer steer(SessionWatch& watch, std::string_view what, const Request& request);

  const std::string version_;
  const SessionWatch::When when_;
  const std::function<void()> on_change_;
  std::atomic<bool> is_asked_{false};
  std::mutex mutex_;  // guards the entries
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace eventspace::web

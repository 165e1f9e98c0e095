#include "monitors/watching/watch_session.h"

#include "monitors/watching/reach.h"
#include "monitors/watching/recorded_session.h"

namespace eventspace {

WatchSession::WatchSession(const std::filesystem::path& named, const std::string& session,
                           const Played& played, bool on_screen)
    : signals(on_screen ? StopSignals::of_screen() : StopSignals()),
      watched(find_watched(named, session, Recordings::accepted)),
      time(timeline_of(watched, signals, played)),
      consumer(consumer_of(watched)),
      named_(named),
      session_(session) {}

void WatchSession::require(const ScopeTree& tree, std::chrono::nanoseconds timeout, Format format) {
  print_damage(watched, format);
  require_servers(consumer, tree, {named_, session_}, timeout);
}

}  // namespace eventspace

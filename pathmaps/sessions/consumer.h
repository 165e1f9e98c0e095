#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/recorded_run.h"
#include "paths/links/link.h"
#include "paths/wire/wire.h"
#include "scopes/scope.h"

namespace eventspace {

/// Consumer is the entry point of a monitor: it opens event scopes on a running session. A process may have
/// any number of consumers, and they may come and go while the application runs.
///
///     Consumer consumer("windtunnel.yaml");
///     EventScope scope = consumer.open("heartbeat");
///     const View view = scope.pull({});
///     show(view.records, consumer.names());
///
/// Not thread-safe: one thread uses a consumer and the scopes opened with it. The consumer owns the
/// connections; its scopes must be destroyed before it is moved or destroyed. A server that is down is not an
/// error: connections are made when first used, and renewed when lost.
class Consumer {
 public:
  /// `session`: if empty, see session_name in include/eventspace/session.h. Throws ConfigurationError for a
  /// faulty pathmap. Does not connect to servers yet.
  explicit Consumer(const std::filesystem::path& pathmap, const std::string& session = "");
  explicit Consumer(std::shared_ptr<const Plan> plan, const std::string& session = "");
  /// A consumer of a recording: its scopes read the records at the current time of RecordedRun::replay(), in
  /// this process. There are no servers.
  explicit Consumer(std::shared_ptr<RecordedRun> recorded);
  ~Consumer();
  Consumer(Consumer&& other) noexcept;

  [[nodiscard]] const Plan& plan() const noexcept;
  [[nodiscard]] const std::string& session() const noexcept;
  [[nodiscard]] const PlanNames& names() const noexcept;

  /// Opens the scope with this name in the pathmap. Each call opens a separate scope, with its own positions.
  /// Throws ConfigurationError, with the known names, for an unknown scope. Never waits for servers.
  EventScope open(const std::string& scope);
  /// Like the above, for a tree that the caller made or changed.
  EventScope open(ScopeTree tree);

  /// Finds processes of this machine that have just started. Pulls also do this, at most every 50 ms.
  void look();

  /// Returns the sums, over all connections of this consumer, of bytes, lost connections and bad replies so
  /// far.
  [[nodiscard]] Link::Counts traffic() const noexcept;

  /// Requests the report of the server of `node`. Blocks for up to `timeout`; returns nothing if no answer
  /// arrives in that time, or a refusal.
  std::optional<wire::ServerReport> ping(NodeIndex node, std::chrono::nanoseconds timeout);
  /// The answer to a ping: a report, the text of a refusal, such as of another protocol version, or neither
  /// if no answer arrived in time.
  struct Answer {
    std::optional<wire::ServerReport> report{};
    std::string refusal{};
  };
  Answer ask(NodeIndex node, std::chrono::nanoseconds timeout);
  /// Pings the servers at `endpoints` at once; an observer pings its port instead. Blocks until one has
  /// answered, or for `timeout`. Returns the answers that have come, by endpoint.
  std::map<std::string, Answer> ask_any(const std::set<std::string>& endpoints,
                                        std::chrono::nanoseconds timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

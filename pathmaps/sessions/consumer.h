#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/links/link.h"
#include "paths/wire/wire.h"
#include "scopes/scope.h"

namespace eventspace {

/// What a monitor needs to open scopes: a pathmap and a session. Any number of them, in any process, while
/// the application runs. Used by one thread.
///
///     Consumer consumer("windtunnel.yaml");
///     auto scope = consumer.open("heartbeat");
///     for (const TraceTuple& tuple : scope.pull({}).records) ...
class Consumer {
 public:
  /// Throws ConfigurationError for a faulty pathmap. Connects to nothing yet.
  explicit Consumer(const std::filesystem::path& pathmap, const std::string& session = "");
  explicit Consumer(std::shared_ptr<const Plan> plan, const std::string& session = "");
  ~Consumer();
  Consumer(Consumer&& other) noexcept;

  [[nodiscard]] const Plan& plan() const noexcept;
  [[nodiscard]] const std::string& session() const noexcept;
  [[nodiscard]] const PlanNames& names() const noexcept;

  /// A scope of the pathmap, opened anew at each call; the consumer must outlive it. Throws
  /// ConfigurationError, with the names there are, when there is no such scope.
  EventScope open(const std::string& scope);
  /// The same for a tree that the caller made or changed.
  EventScope open(ScopeTree tree);

  /// What went over its connections so far.
  [[nodiscard]] Link::Counts traffic() const noexcept;

  /// The report of the server of `node` about itself; nothing when it does not answer in time.
  std::optional<wire::ServerReport> ping(NodeIndex node, std::chrono::nanoseconds timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

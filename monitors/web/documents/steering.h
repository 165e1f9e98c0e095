#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "monitors/watching/watched.h"
#include "monitors/web/documents/document.h"
#include "monitors/web/documents/parts.h"
#include "monitors/web/http/site.h"
#include "monitors/web/steering/collecting_choice.h"
#include "monitors/web/steering/steering_order.h"
#include "monitors/web/steering/trial.h"
#include "pathmaps/variants/scope_variants.h"

namespace eventspace::web {

/// Carries out the orders of owners' pages for one session: what its processes record, how often the sampler
/// pulls, and trials of scope trees. Publishes the parts "steering" and "steering/...".
///
/// The state has a version, which each order that is taken increases. An order names the version from which
/// it was made. If another order was taken since, it is refused with the newer state, so that two owners
/// never undo each other's orders unseen. A thread of the object carries out orders that wait for processes
/// and servers, one at a time; the state has their outcome.
///
///     order -- not valid ------------------------------------> 400, and nothing has changed
///           -- stale, one is under way, or nothing to steer --> 409, and nothing has changed
///           -- taken: version + 1 ----------------------------> 200, then `under_way`, then `outcome`
///
/// Thread-safe.
class Steering {
 public:
  /// `progress`: a glob of the paths that each step of the application uses once. `on_news` is called after
  /// an order was taken or carried out, with a lock of this object.
  Steering(std::shared_ptr<Document> document, std::string progress, std::function<void()> on_news);
  ~Steering();  ///< waits for the order under way, and for the pull of the trial
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  /// Takes orders for this session from now on, and refuses all for a recording. Orders made from the state
  /// of a session before are stale then. `interval`: of the sampler.
  void begin(const Watched& watched, std::chrono::nanoseconds interval);
  /// Refuses orders from now on, because of `reason`, and ends the trial.
  void end(const std::string& reason);
  /// Takes the settings of processes from the sampler's newest look.
  void observe(const Looked& looked);

  /// The interval that an order has set.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> interval() const;
  /// The outcomes of orders since the last call, for the log.
  std::vector<std::string> take_log();

  /// The answer to a POST of the order `name`, for which is_steering_order() holds. Does not block.
  Answer order(std::string_view name, const std::string& body);
  /// The answer to the question for the variants of a scope: status 202 while they are made. Does not block.
  Answer variants(const Request& request);

  static constexpr std::size_t max_trials = 64;    ///< kept in "steering/trials"
  static constexpr std::size_t max_variants = 64;  ///< of a scope

 private:
  using Lock = std::lock_guard<std::mutex>;
  struct Outcome {
    std::uint64_t version{0};
    std::string text{};
    std::vector<std::string> refusals{};  // of processes and servers, at most max_refusals
  };
  static constexpr std::size_t max_refusals = 16;
  static constexpr std::size_t max_noted = 64;

  [[nodiscard]] std::optional<Answer> conflict(const SteeringOrder& order) const;
  void take(const SteeringOrder& order);
  void take_collecting(const CollectingWish& wish);
  void take_interval(const IntervalWish& wish);
  void take_trial(const TrialWish& wish);
  void add_job(std::function<void()> job);
  void note(std::string text);
  void publish(Document::Parts also = {});
  [[nodiscard]] Json state() const;
  [[nodiscard]] Json choices() const;
  [[nodiscard]] Json trials() const;

  void run();
  void conclude(Outcome outcome);
  void switch_collecting(const CollectingChoice& choice, Outcome outcome);
  void begin_trial(const TrialWish& wish, Outcome outcome);
  std::uint64_t expect_trial(const TrialWish& wish, const std::string& words);
  void take_figures(std::uint64_t version, const TrialFigures& figures);
  void keep(TrialFigures trial);
  void list_variants(const std::string& scope, std::uint64_t version);
  const ScopeVariants& variants_of(const Watched& watched, const std::string& scope);
  [[nodiscard]] std::optional<Watched> watched_by(std::uint64_t version) const;
  [[nodiscard]] bool is_ending() const;

  const std::shared_ptr<Document> document_;
  const std::string progress_;
  const std::function<void()> on_news_;

  mutable std::mutex mutex_;  // guards all before the thread
  std::optional<Watched> watched_;
  std::string reason_{
      "the session is not watched yet"};  // why nothing can be steered, if `watched_` is unset
  std::shared_ptr<const std::vector<SwitchablePath>> paths_;  // null until a session has begun
  Json collecting_{Json::array()};
  std::chrono::nanoseconds interval_{};
  bool is_interval_set_{false};  // by an order
  std::uint64_t version_{1};
  std::uint64_t first_version_{1};  // of this run; orders and trials of runs before have smaller ones
  std::string by_;                  // the page that gave the last order
  std::string last_order_;          // in words
  bool is_under_way_{false};
  std::optional<Outcome> outcome_;
  std::optional<TrialFigures> trial_;
  std::deque<TrialFigures> trials_;
  std::uint64_t trials_begun_{0};       // in this run
  std::deque<std::string> log_;         // at most max_noted
  std::map<std::string, Json> listed_;  // the variants of scopes that pages have asked for
  bool is_listing_{false};
  std::deque<std::function<void()>> jobs_;
  bool is_over_{false};
  std::condition_variable changed_;
  std::thread thread_;

  // Of the thread:
  ScopeVariants made_;   // the last: trees of large sessions take much memory
  std::string made_of_;  // their plan and scope
  std::unique_ptr<Trial> running_;
};

}  // namespace eventspace::web

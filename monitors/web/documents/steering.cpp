#include "monitors/web/documents/steering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <eventspace/error.h>
#include "monitors/switching/session_switch.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/web/documents/trial_part.h"
#include "pathmaps/plan/plan_lookup.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {
namespace {

constexpr std::chrono::seconds switch_timeout{2};  // for a server

Answer steering_answer(unsigned status, const Json& value) {
  return {.status = status, .body = share(value.dump() + "\n")};
}

Answer refused_order(unsigned status, std::string_view reason) {
  return steering_answer(status, no_part(reason));
}

std::string rate_in_words(const std::optional<double>& rate) {
  return rate ? fmt::format("{:g} pulls a second", *rate) : std::string("as fast as possible");
}

Json list_of_texts(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.add(text);
  return list;
}

// Throws ConfigurationError if the plan lacks a name in a wish.
void check_names(const SteeringOrder& order, const Plan& plan) {
  if (const auto* const collecting = std::get_if<CollectingWish>(&order.wish))
    (void)choice_of(*collecting, plan);
  const auto* const trial = std::get_if<TrialWish>(&order.wish);
  if (trial == nullptr || trial->scope.empty()) return;
  if (!plan.has_pathmap) throw ConfigurationError("a session without a pathmap has no scopes to try");
  (void)require_scope(plan, trial->scope);
}

// Throws ConfigurationError if the scope has no such variant.
const ScopeVariant& variant_in(const ScopeVariants& found, const TrialWish& wish) {
  const auto& variants = found.variants;
  if (wish.variant < variants.size()) return variants[wish.variant];
  throw ConfigurationError(fmt::format("found variant {} of scope {}; it has variants 0 to {}", wish.variant,
                                       wish.scope, variants.size() - 1));
}

/// The outcome of an order about collecting.
struct Switched {
  std::size_t processes{0};
  std::vector<std::string> refusals{};

  void add(const Plan& plan, const std::vector<SwitchedNode>& nodes, const SwitchOrder& order) {
    for (const SwitchedNode& node : nodes) {
      if (node.by == SwitchedNode::By::neither)
        refuse(fmt::format("node {}: {}", plan.nodes[node.node].name, node.refusal));
      for (const SwitchedProcess& process : node.processes) add(process, order);
    }
  }
  // A node refuses each request of an order for the same reason.
  void refuse(std::string reason) {
    if (std::ranges::find(refusals, reason) == refusals.end()) refusals.push_back(std::move(reason));
  }
  void add(const SwitchedProcess& process, const SwitchOrder& order) {
    const std::string who = fmt::format("process {} (pid {})", process.process, process.pid);
    if (!process.refusal.empty()) {
      refuse(fmt::format("{}: {}", who, process.refusal));
      return;
    }
    ++processes;
    if (is_without_effect(process, order))
      refuse(who + " still records nothing: the program itself has switched collecting off");
  }
};

}  // namespace

Steering::Steering(std::shared_ptr<Document> document, std::string progress, std::function<void()> on_news)
    : document_(std::move(document)), progress_(std::move(progress)), on_news_(std::move(on_news)) {}

Steering::~Steering() {
  {
    const Lock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Steering::begin(const Watched& watched, std::chrono::nanoseconds interval) {
  const Lock lock(mutex_);
  if (watched.recorded != nullptr) {
    reason_ = "a recording cannot be steered";
    return document_->publish({{"steering", no_part(reason_)}});
  }
  if (!thread_.joinable()) thread_ = start_library_thread([this] { run(); });
  // Orders that pages made from the state of another run are stale.
  if (paths_ != nullptr) ++version_;
  first_version_ = version_;
  trials_begun_ = 0;
  is_under_way_ = false;  // an order of the run before concludes unseen
  outcome_.reset();
  collecting_ = Json::array();
  trials_.clear();
  listed_.clear();
  watched_ = watched;
  paths_ = std::make_shared<const std::vector<SwitchablePath>>(switchable_paths(*watched.plan));
  if (!is_interval_set_) interval_ = interval;
  publish({{"steering/choices", choices()}, {"steering/trials", trials()}});
}

void Steering::end(const std::string& reason) {
  const Lock lock(mutex_);
  reason_ = reason;
  if (!watched_) return;
  watched_.reset();
  is_under_way_ = false;
  add_job([this] { running_.reset(); });
  if (trial_) {
    trial_->ended = reason;
    keep(*std::exchange(trial_, std::nullopt));
  }
  publish({{"steering/trials", trials()}});
}

void Steering::observe(const Looked& looked) {
  std::shared_ptr<const std::vector<SwitchablePath>> paths;
  {
    const Lock lock(mutex_);
    if (!watched_) return;
    paths = paths_;
  }
  const ProcessReports& reports = looked.state->processes;
  Json collecting = collecting_json(reports, *looked.names);
  Json settings = paths_json(*paths, reports, *looked.names);
  const Lock lock(mutex_);
  if (!watched_) return;
  collecting_ = std::move(collecting);
  publish({{"steering/paths", std::move(settings)}});
}

std::optional<std::chrono::nanoseconds> Steering::interval() const {
  const Lock lock(mutex_);
  return is_interval_set_ ? std::optional(interval_) : std::nullopt;
}

std::vector<std::string> Steering::take_log() {
  const Lock lock(mutex_);
  std::vector<std::string> texts(log_.begin(), log_.end());
  log_.clear();
  return texts;
}

bool Steering::is_ending() const {
  const Lock lock(mutex_);
  return is_over_;
}

// The session of which this version was the state; nullopt once it has ended, even if another run
// has begun.
std::optional<Watched> Steering::watched_by(std::uint64_t version) const {
  const Lock lock(mutex_);
  return version < first_version_ ? std::nullopt : watched_;
}

Answer Steering::order(std::string_view name, const std::string& body) {
  const Lock lock(mutex_);
  if (!watched_) return refused_order(409, reason_);
  try {
    const SteeringOrder order = steering_order(name, body);
    check_names(order, *watched_->plan);
    if (auto refusal = conflict(order)) return *std::move(refusal);
    take(order);
  } catch (const ConfigurationError& error) {
    return refused_order(400, error.what());
  }
  publish();
  on_news_();
  return steering_answer(200, Json::object({{"version", version_}}));
}

std::optional<Answer> Steering::conflict(const SteeringOrder& order) const {
  std::string reason;
  if (order.version != version_) {
    const bool is_own = !by_.empty() && by_ == order.page;
    reason = fmt::format(
        "{} has steered since (version {} is now {}){}; look at the new state, and repeat the "
        "order if it is still wanted",
        is_own ? "this page" : "another page of the owner", order.version, version_,
        last_order_.empty() ? "" : ": " + last_order_);
  } else if (is_under_way_) {
    reason = "an order is being carried out: " + last_order_;
  } else {
    return std::nullopt;
  }
  return steering_answer(409, Json::object({{"reason", reason}, {"steering", state()}}));
}

void Steering::take(const SteeringOrder& order) {
  ++version_;
  by_ = order.page;
  outcome_.reset();
  if (const auto* const collecting = std::get_if<CollectingWish>(&order.wish)) take_collecting(*collecting);
  if (const auto* const interval = std::get_if<IntervalWish>(&order.wish)) take_interval(*interval);
  if (const auto* const trial = std::get_if<TrialWish>(&order.wish)) take_trial(*trial);
}

void Steering::take_collecting(const CollectingWish& wish) {
  CollectingChoice choice = choice_of(wish, *watched_->plan);
  last_order_ = fmt::format("collecting {}: {}", wish.setting, choice.words);
  is_under_way_ = true;
  add_job([this, choice = std::move(choice), outcome = Outcome{version_, last_order_}] {
    switch_collecting(choice, outcome);
  });
}

// The sampler takes the interval with its next look, for which it is woken.
void Steering::take_interval(const IntervalWish& wish) {
  interval_ = std::chrono::nanoseconds(static_cast<std::int64_t>(wish.seconds * 1e9));
  is_interval_set_ = true;
  last_order_ = fmt::format("interval {}", short_duration(interval_));
  outcome_ = Outcome{version_, last_order_};
  note(last_order_);
}

void Steering::take_trial(const TrialWish& wish) {
  last_order_ = wish.scope.empty() ? "end the trial"
                                   : fmt::format("try variant {} of scope {}, {}", wish.variant, wish.scope,
                                                 rate_in_words(wish.rate));
  is_under_way_ = true;
  add_job([this, wish, outcome = Outcome{version_, last_order_}] { begin_trial(wish, outcome); });
}

// Requires the lock.
void Steering::add_job(std::function<void()> job) {
  jobs_.push_back(std::move(job));
  changed_.notify_one();
}

// Requires the lock. The sampler, which takes the log, rests while no page is open.
void Steering::note(std::string text) {
  log_.push_back(std::move(text));
  if (log_.size() > max_noted) log_.pop_front();
}

// Requires the lock, so that the newest state is published last.
void Steering::publish(Document::Parts also) {
  also.emplace_back("steering", state());
  document_->publish(also);
}

Json Steering::state() const {
  Json outcome;
  if (outcome_) {
    outcome = Json::object({{"version", outcome_->version},
                            {"text", outcome_->text},
                            {"refusals", list_of_texts(outcome_->refusals)}});
  }
  return Json::object({{"reason", watched_ ? "" : reason_},
                       {"version", version_},
                       {"by", by_},
                       {"last_order", last_order_},
                       {"under_way", is_under_way_},
                       {"outcome", std::move(outcome)},
                       {"interval_s", seconds_of(interval_)},
                       {"collecting", collecting_},
                       {"trial", trial_ ? trial_json(*trial_) : Json()}});
}

Json Steering::choices() const {
  Json scopes = Json::array();
  for (const ScopeTree& scope : watched_->plan->scopes) scopes.add(scope.scope);
  return Json::object({{"kinds", kinds_json()},
                       {"scopes", std::move(scopes)},
                       {"max_interval_s", max_interval_s},
                       {"min_rate", min_trial_rate},
                       {"max_rate", max_trial_rate},
                       {"progress", progress_}});
}

Json Steering::trials() const {
  Json all = Json::array();
  for (const TrialFigures& trial : trials_) all.add(trial_json(trial));
  return all;
}

void Steering::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !jobs_.empty(); });
    if (is_over_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void Steering::conclude(Outcome outcome) {
  const Lock lock(mutex_);
  if (outcome.refusals.size() > max_refusals) {
    const std::size_t others = outcome.refusals.size() - max_refusals;
    outcome.refusals.resize(max_refusals);
    outcome.refusals.push_back(fmt::format("and {} more", others));
  }
  note(outcome.refusals.empty() ? outcome.text
                                : fmt::format("{}; refused: {}", outcome.text, outcome.refusals.front()));
  if (outcome.version < first_version_) return;
  is_under_way_ = false;
  outcome_ = std::move(outcome);
  if (!watched_) return;  // its last state stays
  publish();
  on_news_();
}

void Steering::switch_collecting(const CollectingChoice& choice, Outcome outcome) {
  Switched switched;
  try {
    const std::optional<Watched> session = watched_by(outcome.version);
    if (!session) throw EnvironmentError("the session has ended");
    for (const SwitchOrder& order : choice.orders) {
      if (is_ending()) throw EnvironmentError("the page's server ends");
      switched.add(*session->plan,
                   switch_session(*session->plan, session->session, choice.nodes, order, switch_timeout),
                   order);
    }
    if (switched.processes == 0 && switched.refusals.empty())
      switched.refusals.emplace_back("no process that the order chooses runs");
  } catch (const std::exception& error) {
    switched.refusals.emplace_back(error.what());
  }
  outcome.text += fmt::format(" ({} switched)", counted(switched.processes, "process"));
  outcome.refusals = std::move(switched.refusals);
  conclude(std::move(outcome));
}

// The trial before ends first, as the two would slow each other down.
void Steering::begin_trial(const TrialWish& wish, Outcome outcome) {
  try {
    const std::optional<Watched> session = watched_by(outcome.version);
    if (!session) throw EnvironmentError("the session has ended");
    const ScopeVariant* const variant =
        wish.scope.empty() ? nullptr : &variant_in(variants_of(*session, wish.scope), wish);
    running_.reset();
    if (variant != nullptr) {
      const std::uint64_t number = expect_trial(wish, variant->words);
      running_ = std::make_unique<Trial>(Trial::Settings{
          .watched = *session,
          .number = number,
          .wish = wish,
          .words = variant->words,
          .tree = variant->tree,
          .progress = progress_,
          .is_shown = [document = document_] { return document->wanted().has("steering"); },
          .on_figures = [this, version = outcome.version](
                            const TrialFigures& figures) { take_figures(version, figures); }});
    }
  } catch (const std::exception& error) {
    outcome.refusals.emplace_back(error.what());
  }
  conclude(std::move(outcome));
}

// Pages know the trial before it has figures. Returns its number.
std::uint64_t Steering::expect_trial(const TrialWish& wish, const std::string& words) {
  const Lock lock(mutex_);
  trial_ = TrialFigures{.number = ++trials_begun_, .wish = wish, .words = words};
  return trial_->number;
}

// Nothing is published of a session that has ended: its last state stays. A trial of the run before may end
// after the next run has begun.
void Steering::take_figures(std::uint64_t version, const TrialFigures& figures) {
  const Lock lock(mutex_);
  if (!watched_ || version < first_version_) return;
  if (figures.ended.empty()) {
    trial_ = figures;
    return publish();
  }
  trial_.reset();
  keep(figures);
  publish({{"steering/trials", trials()}});
}

// Requires the lock. For the plot of rate against cost.
void Steering::keep(TrialFigures trial) {
  trials_.push_back(std::move(trial));
  if (trials_.size() > max_trials) trials_.pop_front();
}

const ScopeVariants& Steering::variants_of(const Watched& watched, const std::string& scope) {
  const std::string key = fmt::format("{} {}", watched.plan->scopes_fingerprint, scope);
  if (made_of_ != key) {
    made_of_.clear();
    made_ = scope_variants(watched.pathmap, *watched.plan, scope, max_variants);
    made_of_ = key;
  }
  return made_;
}

void Steering::list_variants(const std::string& scope, std::uint64_t version) {
  Json trees = Json::array();
  std::size_t left_out = 0;
  std::string reason;
  const std::optional<Watched> session = watched_by(version);
  try {
    if (!session) throw EnvironmentError("the session has ended");
    const ScopeVariants& found = variants_of(*session, scope);
    for (const ScopeVariant& variant : found.variants) trees.add(variant.words);
    left_out = found.left_out;
  } catch (const std::exception& error) {
    reason = error.what();
  }
  const Lock lock(mutex_);
  is_listing_ = false;
  if (!session || !watched_ || version < first_version_) return;  // another run has begun
  listed_[scope] = Json::object(
      {{"scope", scope}, {"variants", std::move(trees)}, {"left_out", left_out}, {"reason", reason}});
}

Answer Steering::variants(const Request& request) {
  const Lock lock(mutex_);
  const std::string* const scope = request.parameter("scope");
  if (scope == nullptr) return refused_order(400, "the question for variants needs scope=NAME");
  if (!watched_) return refused_order(409, reason_);
  try {
    (void)require_scope(*watched_->plan, *scope);
  } catch (const ConfigurationError& error) {
    return refused_order(404, error.what());
  }
  if (const auto known = listed_.find(*scope); known != listed_.end())
    return steering_answer(200, known->second);
  if (!is_listing_) add_job([this, name = *scope, version = version_] { list_variants(name, version); });
  is_listing_ = true;
  return steering_answer(202, Json::object({{"state", "being made"}}));
}

}  // namespace eventspace::web

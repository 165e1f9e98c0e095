#include "monitors/web/steering/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include "monitors/tune/slices.h"
#include "monitors/watching/running_servers.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/variants/scope_variants.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds usual_slice = 250ms;
constexpr nanoseconds patience = 5s;  // for a step of the application

}  // namespace

double TrialFigures::rate() const noexcept {
  const double seconds = std::chrono::duration<double>(pulling).count();
  return seconds > 0 ? static_cast<double>(whole) / seconds : 0;
}

Trial::Trial(Settings settings) : settings_(std::move(settings)) {
  figures_.number = settings_.number;
  figures_.wish = settings_.wish;
  figures_.words = settings_.words;
  thread_ = start_library_thread([this] { run(); });
}

Trial::~Trial() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Trial::run() {
  try {
    measure();
  } catch (const std::exception& error) {
    figures_.ended = error.what();
  }
  if (figures_.ended.empty()) figures_.ended = is_unshown_ ? "no page shows it" : "stopped";
  settings_.on_figures(figures_);
}

void Trial::measure() {
  Consumer consumer = consumer_of(settings_.watched);
  find_servers(consumer);
  if (auto steps = open_steps(consumer)) measure_pairs(consumer, *steps);
  EventScope scope = consumer.open(settings_.tree);
  const double pace = settings_.wish.rate.value_or(0);
  const auto wait = [this](nanoseconds time) { return wait_for(time); };
  while (!wait_for({})) {
    // Servers that are gone refuse at once.
    if (tune::pull_at_pace(scope, slice(), pace, wait, this).whole == 0) wait_for(1s);
  }
}

void Trial::find_servers(const Consumer& consumer) {
  std::set<std::string> endpoints;
  for (const NodePlan& node : consumer.plan().nodes) endpoints.insert(node.endpoint());
  for (const ServerHere& server : servers_here(consumer.session(), endpoints))
    if (server.pid != 0) servers_.push_back(server.pid);
  figures_.servers = consumer.plan().nodes.size();
  figures_.servers_here = servers_.size();
}

std::optional<tune::StepCount> Trial::open_steps(Consumer& consumer) {
  try {
    return tune::StepCount(consumer.open(newest_events_of(settings_.watched.pathmap, settings_.progress,
                                                          runs_in_one_place(settings_.tree.root))));
  } catch (const ConfigurationError& error) {
    figures_.no_slowdown = fmt::format("no paths of the application's steps are known (--progress '{}'): {}",
                                       settings_.progress, error.what());
  }
  return std::nullopt;
}

// Ends when the trial does, or when the application makes no steps: then it is pulled without pairs.
void Trial::measure_pairs(Consumer& consumer, tune::StepCount& steps) {
  tune::Slices slices(steps, [this](nanoseconds time) { return wait_for(time); },
                      {.slice = slice(),
                       .pairs = 8 * max_pairs,
                       .pace = settings_.wish.rate.value_or(0),
                       .patience = patience,
                       .end = Clock::time_point::max(),
                       .seed = 1,
                       .observer = this});
  slices.settle();
  while (slices.over().empty()) {
    const tune::Slices::Trial trial = slices.measure(consumer, settings_.tree);
    if (trial.unusable.empty()) continue;
    figures_.missing = trial.unusable;
    settings_.on_figures(figures_);
    wait_for(1s);
  }
  if (slices.failed()) figures_.no_slowdown = slices.over();
}

// Each slice has at least one pull and the pause after it.
nanoseconds Trial::slice() const noexcept {
  if (!settings_.wish.rate) return usual_slice;
  return std::max(usual_slice, nanoseconds(static_cast<std::int64_t>(1e9 / *settings_.wish.rate)));
}

nanoseconds Trial::servers_cpu() const {
  nanoseconds sum{};
  for (const std::int32_t pid : servers_)
    if (const auto stat = read_process_stat(pid)) sum += stat->cpu;
  return sum;
}

void Trial::begin_pulls() {
  slice_missing_.clear();
  servers_cpu_begun_ = servers_cpu();
  slice_cost_.emplace();
}

void Trial::observe(const View& view, nanoseconds elapsed) {
  ++figures_.pulls;
  figures_.in_pulls += elapsed;
  if (view.missing.empty()) ++figures_.whole;
  if (!view.missing.empty() && slice_missing_.empty()) slice_missing_ = tune::first_missing(view);
  constexpr nanoseconds between_levels = 100ms;
  const Clock::time_point now = Clock::now();
  if (now < levels_due_) return;
  levels_due_ = now + between_levels;
  figures_.levels = view.levels;
}

// A server that was restarted since has used less than before.
void Trial::end_pulls() {
  const WatchCost::Sum cost = slice_cost_->so_far();
  figures_.pulling += cost.elapsed;
  figures_.page_cpu += cost.cpu;
  figures_.servers_cpu += std::max(servers_cpu() - servers_cpu_begun_, nanoseconds(0));
  figures_.missing = slice_missing_;
  settings_.on_figures(figures_);
}

void Trial::observe(const tune::SlicePair& pair) {
  pairs_.push_back(pair);
  if (pairs_.size() > max_pairs) pairs_.pop_front();
  figures_.estimate = tune::estimate({pairs_.begin(), pairs_.end()}, 1);
  settings_.on_figures(figures_);
}

bool Trial::wait_for(nanoseconds time) {
  constexpr nanoseconds at_once = 500ms;
  const Clock::time_point end = Clock::now() + time;
  while (true) {
    count_pages();
    std::unique_lock lock(mutex_);
    if (is_over_ || is_unshown_) return true;
    const Clock::time_point now = Clock::now();
    if (now >= end) return false;
    changed_.wait_until(lock, std::min(end, now + at_once), [this] { return is_over_; });
  }
}

// Pulls can come thousands of times a second, so the pages are counted only now and then.
void Trial::count_pages() {
  const Clock::time_point now = Clock::now();
  if (now < shown_due_) return;
  constexpr nanoseconds between_counts = 250ms;
  shown_due_ = now + between_counts;
  if (settings_.is_shown()) shown_at_ = now;
  is_unshown_ = is_unshown_ || now - shown_at_ >= unshown;
}

}  // namespace eventspace::web

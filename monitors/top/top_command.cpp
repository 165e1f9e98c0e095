#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <eventspace/error.h>
#include "monitors/budget/budget_keeper.h"
#include "monitors/budget/budget_lines.h"
#include "monitors/cli/colour_option.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/priority_option.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/collectives/collective_scope.h"
#include "monitors/delays/delay_text.h"
#include "monitors/heartbeat/health_text.h"
#include "monitors/questions/question_options.h"
#include "monitors/text/counted.h"
#include "monitors/text/loss_text.h"
#include "monitors/text/plain_output.h"
#include "monitors/top/live.h"
#include "monitors/top/playback.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watched.h"
#include "pathmaps/plan/plan_lookup.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace {
namespace {

struct TopOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope = "heartbeat";
  AskedScope asked{.name = "heartbeat", .newest = true};
  std::string filter;
  std::string sort = "state";
  HeartbeatPace::Wishes pace;
  std::size_t count{0};
  std::optional<std::chrono::nanoseconds> duration{};  // nullopt means unlimited
  std::size_t limit{20};
  ColourUse colour{ColourUse::automatic};
  Played played{};
  bool reverse{false};
  Budget budget{};
  bool once{false};
  bool lines{false};
  bool verbose{false};
};

// Reduced to the newest events last, because newest_of_each() removes all wrappers above the reads.
ScopeTree tree_of(const TopOptions& options, const std::filesystem::path& pathmap, const Plan& plan) {
  ScopeTree tree = newest_of_each(base_scope(pathmap, plan, options.asked));
  const Question& question = options.asked.question;
  return question.is_empty() ? tree : narrowed_scope(std::move(tree), plan, question, true);
}

class TopMonitor {
 public:
  explicit TopMonitor(const TopOptions& options)
      : options_(options),
        kind_(top::TerminalKind::of_environment()),
        watched_(find_watched(options.pathmap, options.session, Recordings::accepted)),
        plan_(watched_.plan),
        tree_(tree_of(options, watched_.pathmap, *plan_)) {}

  int run() {
    if (has_screen()) {
      show_screen();
    } else {
      write_lines();
    }
    const int budget_status = budget_ ? budget_->status(exit_fine) : exit_fine;
    budget_.reset();
    budget_lines_.print();
    say_what_was_seen();
    if (model_->saw_nothing()) return exit_unreachable;
    return model_->state().health.stalled > 0 ? exit_found_wrong : budget_status;
  }

 private:
  // Called after the signals are blocked, because the threads of the links inherit the mask.
  void begin() {
    look_anew();
    check_names(looker_->consumer(), options_.asked.question);
    const auto complaint = looker_->pace().complaint();
    if (complaint && !options_.once) std::cerr << "top: " << *complaint << '\n';
    const PlanNames& names = looker_->consumer().names();
    std::string title = plan_->name;
    if (looker_->consumer().session() != plan_->name) title += " in " + looker_->consumer().session();
    display_.emplace(*plan_, names, std::move(title), kind_.charset);
    display_->sort_by(options_.sort, options_.reverse);
    display_->filter_by(options_.filter);
    if (watched_.recorded != nullptr) return;
    require_servers(looker_->consumer(), tree_, {options_.pathmap, options_.session}, options_.pace.timeout);
    if (options_.budget) keep_budget();
  }

  // On a screen, what it says is kept until the end.
  void keep_budget() {
    BudgetKeeper::Uses uses{.may_stretch = !has_screen()};
    if (has_screen()) uses.say = budget_lines_.say();
    budget_.emplace(options_.budget, watched_, std::move(uses));
  }

  // Forgets all earlier samples.
  void look_anew() {
    model_.reset();
    looker_.emplace(consumer_of(watched_), tree_, options_.asked.question.threads, options_.pace, *time_);
    if (!plan_->collectives.empty()) watch_collectives();
    if (options_.asked.question.is_empty()) watch_delays();
    model_.emplace(*plan_, looker_->consumer().names(), tree_, options_.pace.stall);
  }

  // collective_scope() throws if the pathmap does not record collectives; the screen is empty then.
  void watch_collectives() {
    try {
      ScopeTree tree = collective_scope(watched_.pathmap, *plan_);
      if (playback_ != nullptr) tree.since = one_look;  // not from the beginning of the recording
      looker_->watch_collectives(tree);
    } catch (const ConfigurationError&) {
    }
  }

  void watch_delays() {
    const auto since =
        playback_ != nullptr ? std::optional<std::chrono::nanoseconds>(one_look) : std::nullopt;
    looker_->watch_delays(DelayWatch::on_paths(looker_->consumer(), watched_.pathmap,
                                               {.is_paced = watched_.recorded == nullptr, .fades = true},
                                               since));
  }

  void show_screen() {
    SignalWaiter signals = top::live_signals();
    if (watched_.recorded != nullptr) return show_recording(signals);
    refuse_moment(watched_, options_.played);
    time_ = std::make_unique<RealTime>();
    begin();
    top::Sampler sampler(*looker_);
    top::Terminal terminal(has_colour());
    top::run_live(terminal, sampler, *model_, *display_, signals, limits(), nullptr);
  }

  void show_recording(SignalWaiter& signals) {
    auto playback = std::make_unique<top::Playback>(watched_.recorded->replay(),
                                                    begin_of(*watched_.recorded, options_.played));
    playback_ = playback.get();
    time_ = std::move(playback);
    begin();
    display_->show_recording(*playback_);
    top::Terminal terminal(has_colour());
    for (top::Left left = top::Left::by_jump; left == top::Left::by_jump;) {
      look_anew();
      look_before();
      top::Sampler sampler(*looker_, [this] { return playback_->in_real_time(looker_->pause()); });
      left = top::run_live(terminal, sampler, *model_, *display_, signals, limits(), playback_);
    }
  }

  // Looks shortly before the current time, so that the first shown look has rates.
  void look_before() {
    playback_->step_back(one_look);
    model_->observe(looker_->look({.collectives = true}));
    (void)playback_->wait(one_look);
  }

  // The first look is not shown, because it lacks rates.
  void write_lines() {
    StopSignals signals;
    time_ = timeline_of(watched_, signals,
                        {options_.played.at, options_.once ? Played::Part::moment : Played::Part::all});
    begin();
    const std::size_t shown = options_.once ? 1 : options_.count;
    WatchLoop loop(*time_, {.duration = options_.duration, .looks = shown == 0 ? 0 : shown + 1});
    loop.run([this]() -> WatchLoop::Pause {
      const top::State& state = model_->observe(looker_->look({}));
      if (state.pulls > 1) std::cout << display_->lines(state, options_.limit) << std::flush;
      if (!std::cout) return std::nullopt;
      return options_.once ? one_look : looker_->pause();
    });
  }

  // Not to standard output, which has only results.
  void say_what_was_seen() const {
    const top::State& state = model_->state();
    if (state.pulls == 0) {
      std::cerr << "no view was received: top ended before the first pull was answered\n";
      return;
    }
    std::cerr << fmt::format("at the last pull, {}: {}\n", counted(state.threads.size(), "thread"),
                             tally_of(state.health));
    if (const std::string end = describe_end(state.health); !end.empty())
      std::cerr << "ended: " << end << '\n';
    for (const Culprit& culprit : state.health.culprits)
      std::cerr << describe_culprit(culprit, state.health, looker_->consumer().names()) << '\n';
    const auto& delays = state.health.delays;
    const std::string cause = delays ? describe_first_cause(*delays, looker_->consumer().names()) : "";
    if (!cause.empty()) std::cerr << cause << '\n';
    for (const Missing& missing : state.missing)
      std::cerr << fmt::format(
          "missing: {} ({})\n", missing.what,
          missing.detail.empty() ? std::string(to_string(missing.cause)) : missing.detail);
    if (options_.verbose) say_what_it_cost(state);
  }

  void say_what_it_cost(const top::State& state) const {
    const double seconds = std::max(std::chrono::duration<double>(state.since_start).count(), 1e-9);
    std::cerr << fmt::format("{} in {:.1f} s ({:.1f} a second), {} partial\n", counted(state.pulls, "pull"),
                             seconds, static_cast<double>(state.pulls - 1) / seconds, state.partial);
    print_loss(std::cerr, state.loss, "top");
    looker_->cost().print(std::cerr, looker_->consumer().traffic());
  }

  [[nodiscard]] bool has_screen() const { return kind_.is_screen && !options_.once && !options_.lines; }
  [[nodiscard]] WatchLoop::Limits limits() const { return {options_.duration, options_.count}; }
  [[nodiscard]] bool has_colour() const {
    return options_.colour == ColourUse::automatic ? kind_.has_colour : wants_colour(options_.colour);
  }

  static constexpr std::chrono::milliseconds one_look{250};

  const TopOptions options_;
  const top::TerminalKind kind_;
  Watched watched_;
  std::shared_ptr<const Plan> plan_;
  const ScopeTree tree_;
  std::unique_ptr<Timeline> time_;
  top::Playback* playback_{nullptr};  // time_, for a recording on a screen
  std::optional<top::Looker> looker_;
  std::optional<top::Model> model_;
  std::optional<top::Display> display_;
  BudgetLines budget_lines_;            // only with a screen
  std::optional<BudgetKeeper> budget_;  // after what its thread uses
};

void add_options(CLI::App& app, TopOptions& options) {
  add_watched_or_recorded(app, options.pathmap);
  add_session(app, options.session);
  app.add_option("--scope", options.scope, "Pull through this scope [heartbeat]")->type_name("NAME");
  note_scope(app, options.asked);
  add_whose_events(app, options.asked.question);
  add_duration(app, "--stall", options.pace.stall,
               "Report a thread as stalled after this time without events [2s]");
  add_interval(app, options.pace.interval, "half of --stall, at most 1s");
  add_pull_timeout(app, options.pace.timeout);
  add_at(app, options.played);
  app.add_option("--sort", options.sort, "Sort threads by this column [state]")->type_name("COLUMN");
  app.add_flag("--reverse", options.reverse, "Reverse the order");
  app.add_option("--filter", options.filter, "Show only these threads: a glob, or an expression [all]")
      ->type_name("TEXT");
  add_count(app, options.count, "pulls");
  CLI::Option* const duration = add_for(app, options.duration);
  add_once(app, options.once)->excludes(duration);
  app.add_flag("--lines", options.lines, "Print lines, as without a terminal");
  add_limit(app, options.limit);
  add_colour(app, options.colour);
  add_priority(app);
  add_verbose(app, options.verbose);
  add_budget(app, options.budget);
}

}  // namespace

Command top_command(const CommandContext& /*context*/) {
  const CommandGuide guide{.group = CommandGroup::watching,
                           .place = 2,
                           .examples = {{"eventspace top app.yaml", "the live screen; ? explains the keys"},
                                        {"eventspace top app.yaml --once", "the threads, once, as lines"}},
                           .statuses = {{exit_found_wrong, "a thread was stalled at the last pull"},
                                        {exit_unreachable, "no event was received, and no view was whole"}}};
  return {"top", "Show the threads, their states and rates on a live screen",
          with_options<TopOptions>(add_options,
                                   [](const TopOptions& options) { return TopMonitor(options).run(); }),
          guide};
}

}  // namespace eventspace

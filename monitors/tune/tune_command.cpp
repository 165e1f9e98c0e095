#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <eventspace/error.h>
#include "monitors/charts/plot_file.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/text/plain_output.h"
#include "monitors/tune/at_priority.h"
#include "monitors/tune/front_plot.h"
#include "monitors/tune/report.h"
#include "monitors/tune/search.h"
#include "monitors/tune/slices.h"
#include "monitors/watching/reach.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/variants/scope_variants.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using tune::Goal;
using tune::Outcome;
using tune::Search;
using tune::Slices;
using tune::Tried;

struct TuneOptions {
  fs::path pathmap;
  std::string session;
  std::string scope;
  Goal goal;
  std::string progress{"progress"};
  nanoseconds duration{60s};
  nanoseconds slice{250ms};
  nanoseconds patience{5s};
  std::size_t pairs{3};
  std::size_t most{256};
  double pace{0};
  std::uint64_t seed{1};
  std::optional<Priority> priority{};  // nullopt means each
  bool exhaustive{false};
  bool quiet{false};
  fs::path output;
  fs::path plot;
  Format format{Format::text};
};

void check_target(const fs::path& file, const fs::path& pathmap, const char* option) {
  if (file.empty()) return;
  std::error_code ignored;
  if (!fs::is_directory(fs::absolute(file).parent_path(), ignored))
    throw ConfigurationError(fmt::format("{} {}: its folder does not exist", option, file.string()));
  if (fs::equivalent(file, pathmap, ignored))
    throw ConfigurationError(fmt::format("{} {} is the pathmap itself", option, file.string()));
}

void check(const TuneOptions& options) {
  if (!options.goal.max_slowdown && !options.goal.min_rate)
    throw ConfigurationError(
        "no goal was given; expected --max-slowdown, such as 1.05, or --min-rate, such as 100");
  const auto fault = glob_fault(options.progress);
  if (!fault.empty()) throw ConfigurationError(fmt::format("--progress '{}': {}", options.progress, fault));
  check_target(options.output, options.pathmap, "-o");
  check_target(options.plot, options.pathmap, "--plot");
  if (!options.plot.empty()) check_plot_file(options.plot);
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw EnvironmentError(fmt::format("cannot write {}", file.string()));
}

/// If `scope` reads the segments in this process, the steps are read in the same way, because servers may be
/// missing.
ScopeTree steps_of(const TuneOptions& options, const ScopeTree& scope) {
  try {
    return newest_events_of(options.pathmap, options.progress, runs_in_one_place(scope.root));
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(
        fmt::format("--progress '{}' must select paths that each step of the application uses, with an event "
                    "collector at their thread: {}",
                    options.progress, error.what()));
  }
}

std::vector<tune::TreeWork> works_of(const std::vector<ScopeVariant>& variants) {
  std::vector<tune::TreeWork> works;
  works.reserve(variants.size());
  for (const ScopeVariant& variant : variants) works.push_back(tune::work_of(variant.tree));
  return works;
}

class Tuner {
 public:
  explicit Tuner(const TuneOptions& options)
      : options_(options),
        begin_(Slices::Clock::now()),
        plan_(read_pathmap_file(options.pathmap, "tune reads it repeatedly to make trees")),
        consumer_(plan_, options.session),
        scope_(require_scope(consumer_.plan(), options.scope)),
        steps_(consumer_.open(steps_of(options, scope_))),
        found_(scope_variants(options.pathmap, consumer_.plan(), options.scope, options.most)),
        search_(works_of(found_.variants), options.goal, {options.pace, 0, options.exhaustive}),
        slices_(steps_, [this](nanoseconds time) { return signals_.wait_for(time); },
                {options.slice, options.pairs, options.pace, options.patience, begin_ + options.duration,
                 options.seed}) {}

  int run() {
    require_servers(consumer_, scope_, {options_.pathmap, options_.session}, {});
    slices_.settle();
    while (slices_.over().empty()) {
      const auto next = search_.next();
      if (!next) break;
      measure(*next, priority_of_search());
    }
    if (!options_.priority) try_priorities();
    decide_best();
    if (shows_progress()) write_control(std::cerr, "\r\033[K");
    return report();
  }

  [[nodiscard]] Outcome outcome() const {
    Outcome outcome;
    outcome.scope = options_.scope;
    outcome.goal = options_.goal;
    for (const Entry& entry : entries_) outcome.tried.push_back(entry.tried);
    outcome.candidates = found_.variants.size();
    outcome.left_out = found_.left_out;
    outcome.ended_early = slices_.over();
    outcome.model = search_.model();
    outcome.slice = slices_.slice();
    outcome.best = best_entry();
    return outcome;
  }

 private:
  // The default of monitors, for which users tune.
  [[nodiscard]] Priority priority_of_search() const { return options_.priority.value_or(Priority::low); }

  // A priority changes the costs of all trees alike, so only the best tree is measured with the other
  // priorities. A better result is measured again: the best of several is often only lucky.
  void try_priorities() {
    const std::optional<std::size_t> tree = search_.best();
    for (const Priority priority : {Priority::normal, Priority::idle})
      if (tree && slices_.over().empty()) measure(*tree, priority);
    const std::optional<std::size_t> best = best_entry();
    if (best && entries_[*best].tried.priority != priority_of_search() && slices_.over().empty())
      measure(entries_[*best].variant, entries_[*best].tried.priority);
  }

  // Each measurement may change which tree is the best. A new best tree has been measured only with the
  // priority of the search.
  bool tries_another_priority_of_best() {
    const std::optional<std::size_t> best = best_entry();
    if (options_.priority || !best) return false;
    const std::size_t variant = entries_[*best].variant;
    for (const Priority priority : {Priority::normal, Priority::idle}) {
      if (find_entry(variant, priority) != entries_.end()) continue;
      measure(variant, priority);
      return true;
    }
    return false;
  }

  // Measures the best again while it is not known whether it meets the goal, and the remaining time may
  // suffice to know. If the application was faster while watched, the cause of that may end.
  void decide_best() {
    while (slices_.over().empty() && best_entry()) {
      if (tries_another_priority_of_best()) continue;
      const Outcome so_far = outcome();
      const auto needed = so_far.doubt() == tune::Doubt::faster
                              ? std::optional<std::chrono::nanoseconds>(0)
                              : so_far.time_needed(so_far.tried[*so_far.best]);
      if (!needed || *needed > begin_ + options_.duration - Slices::Clock::now()) return;
      const Entry& best = entries_[*so_far.best];
      measure(best.variant, best.tried.priority);
    }
  }

  static bool shows_progress() { return ::isatty(STDERR_FILENO) == 1; }

  void show_progress(std::size_t candidate) const {
    if (!shows_progress()) return;
    constexpr std::size_t cells = 24;
    const auto elapsed = std::chrono::duration<double>(Slices::Clock::now() - begin_);
    const double by_time = elapsed / std::chrono::duration<double>(options_.duration);
    const double by_count = static_cast<double>(search_.measurements()) / static_cast<double>(search_.most());
    const auto full = static_cast<std::size_t>(cells * std::min(1.0, std::max(by_time, by_count)));
    std::string best;
    if (const auto leader = best_entry()) {
      const tune::Figures& figures = entries_[*leader].tried.measured->figures;
      best = fmt::format("best {:.0f}/s at {:.3f}; ", figures.rate, figures.slowdown);
    }
    std::string line = fmt::format("[{:-<{}}] {}; {}now {}", std::string(full, '#'), cells,
                                   search_.measurements(), best, found_.variants[candidate].words);
    line.resize(std::min(line.size(), std::size_t{79}));
    write_control(std::cerr, "\r\033[K");
    std::cerr << line << std::flush;
  }

  /// The measurements of a tree with a priority.
  struct Entry {
    std::size_t variant{0};
    Tried tried{};
    std::vector<tune::SlicePair> pairs{};
  };

  // The model and the search know trees only, with one priority.
  void measure(std::size_t variant, Priority priority) {
    show_progress(variant);
    const bool is_of_search = priority == priority_of_search();
    const auto predicted = is_of_search ? search_.predicted(variant) : std::nullopt;
    const Slices::Trial trial = pull_at(priority, found_.variants[variant].tree);
    if (trial.pairs.empty() && trial.unusable.empty()) return;  // the search is over
    Entry& entry = entry_of(variant, priority, predicted);
    auto& pairs = entry.pairs;
    pairs.insert(pairs.end(), trial.pairs.begin(), trial.pairs.end());
    entry.tried.unusable = pairs.empty() ? trial.unusable : "";
    if (!pairs.empty()) entry.tried.measured = estimate(pairs, options_.seed);
    if (is_of_search)
      search_.add(variant, pairs.empty() ? std::nullopt : std::optional(entry.tried.measured->figures));
  }

  // Uses a separate consumer, whose threads also have the priority.
  Slices::Trial pull_at(Priority priority, const ScopeTree& tree) {
    Slices::Trial trial;
    const std::string complaint = tune::at_priority(priority, [&] {
      Consumer consumer(plan_, options_.session);
      trial = slices_.measure(consumer, tree);
    });
    if (!complaint.empty() && complaints_.insert(complaint).second)
      std::cerr << fmt::format("eventspace: note: {}\n", complaint);
    return trial;
  }

  std::vector<Entry>::iterator find_entry(std::size_t variant, Priority priority) {
    return std::ranges::find_if(entries_, [&](const Entry& entry) {
      return entry.variant == variant && entry.tried.priority == priority;
    });
  }

  Entry& entry_of(std::size_t variant, Priority priority, const std::optional<tune::Figures>& predicted) {
    const auto known = find_entry(variant, priority);
    if (known != entries_.end()) return *known;
    return entries_.emplace_back(Entry{
        variant, {found_.variants[variant].words, std::nullopt, predicted, "", variant == 0, priority}, {}});
  }

  [[nodiscard]] std::optional<std::size_t> best_entry() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto& measured = entries_[i].tried.measured;
      if (measured &&
          (!best || options_.goal.prefers(measured->figures, entries_[*best].tried.measured->figures)))
        best = i;
    }
    return best;
  }

  int report() const {
    const Outcome result = outcome();
    if (!result.tried.empty()) print_table(std::cout, result, options_.format);
    std::cout.flush();
    if (!options_.quiet) print_summary(std::cerr, result);
    if (result.verdict() == tune::Verdict::meets) {
      write_best();
      return exit_fine;
    }
    if (result.best && !options_.output.empty() && !options_.quiet)
      std::cerr << fmt::format("{} was not written, because the best tree is not known to meet the goal\n",
                               options_.output.string());
    return !result.best && (slices_.failed() || !entries_.empty()) ? exit_unreachable : exit_found_wrong;
  }

  void write_best() const {
    if (options_.output.empty()) return;
    const fs::path folder = fs::absolute(options_.output).parent_path();
    const std::string name = free_name();
    const Entry& best = entries_[*best_entry()];
    write_file(options_.output,
               pathmap_with(options_.pathmap, folder, name, found_.variants[best.variant].lines));
    if (!options_.quiet)
      std::cerr << fmt::format("written to {} as scope {}; pull through it with --priority {}\n",
                               options_.output.string(), name, to_string(best.tried.priority));
  }

  [[nodiscard]] std::string free_name() const {
    constexpr std::size_t longest = 32;
    for (int i = 1;; ++i) {
      const std::string end = i == 1 ? "-tuned" : fmt::format("-tuned{}", i);
      std::string name = options_.scope.substr(0, longest - end.size()) + end;
      if (consumer_.plan().find_scope(name) == nullptr) return name;
    }
  }

  const TuneOptions options_;
  const Slices::Clock::time_point begin_;
  StopSignals signals_;
  const std::shared_ptr<const Plan> plan_;
  Consumer consumer_;
  const ScopeTree scope_;
  tune::StepCount steps_;
  const ScopeVariants found_;
  Search search_;
  Slices slices_;
  std::vector<Entry> entries_;        // in the order of their first measurement
  std::set<std::string> complaints_;  // that were reported
};

// Graphviz handles signals itself, so the tuner must be destroyed before.
int run(const TuneOptions& options) {
  check(options);
  int status = exit_fine;
  Outcome outcome;
  {
    Tuner tuner(options);
    status = tuner.run();
    outcome = tuner.outcome();
  }
  if (outcome.best && !options.plot.empty()) write_plot(tune::draw_front(outcome), options.plot);
  return status;
}

void add_options(CLI::App& app, TuneOptions& options) {
  add_pathmap_file(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  add_choice(app, "--priority", options.priority,
             {{"each", std::nullopt},
              {"idle", Priority::idle},
              {"low", Priority::low},
              {"normal", Priority::normal}},
             "How the pulls compete for processors; each: low for the search, then the best tree with each "
             "[each]");
  app.add_option("--scope", options.scope, "Scope to tune")->type_name("NAME")->required();
  app.add_option("--max-slowdown", options.goal.max_slowdown,
                 "Find the fastest tree within this slowdown, such as 1.05")
      ->type_name("RATIO")
      ->check(number_from(1, 1e6));
  app.add_option("--min-rate", options.goal.min_rate,
                 "Find the tree with the least slowdown at this rate of pulls")
      ->type_name("HZ")
      ->check(number_from(1e-3, 1e9));
  app.add_option("--rate", options.pace, "Pulls per second while measuring [as fast as possible]")
      ->type_name("HZ")
      ->check(number_from(1e-3, 1e9));
  app.add_option("--progress", options.progress,
                 "Paths that each step of the application uses once [progress]")
      ->type_name("GLOB");
  add_for(app, options.duration, "60s");
  add_duration(app, "--slice", options.slice,
               "Duration of a slice with or without pulls, if steps are not rare [250ms]");
  add_duration(app, "--patience", options.patience, "Stop after this time without a step or an answer [5s]");
  app.add_option("--pairs", options.pairs,
                 "Use this many slices with and without pulls for each measurement [3]")
      ->check(whole_number_from(1, 1000));
  app.add_option("--candidates", options.most, "Largest number of trees to choose from [256]")
      ->check(whole_number_from(1, 1024));
  app.add_option("--seed", options.seed, "Seed of the order of slices [1]");
  app.add_flag("--exhaustive", options.exhaustive, "Measure all trees");
  app.add_option("-o,--output", options.output,
                 "Write the best tree to this pathmap, only if it meets the goal")
      ->type_name("FILE");
  app.add_option("--plot", options.plot, "Draw the measurements to this file: .svg, .png, .pdf or .dot")
      ->type_name("FILE");
  add_quiet(app, options.quiet);
}

}  // namespace

Command tune_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .place = 1,
      .examples = {{"eventspace tune app.yaml --scope heartbeat --max-slowdown 1.05 -o tuned.yaml",
                    "the fastest tree with a slowdown of at most five percent"},
                   {"eventspace tune app.yaml --scope heartbeat --min-rate 100 --for 2min",
                    "the tree with the least slowdown at 100 pulls per second"}},
      .statuses = {{exit_fine, "the best tree meets the goal"},
                   {exit_found_wrong,
                    "no tree meets the goal (the nearest is printed), or the measurements are inconclusive"},
                   {exit_unreachable,
                    "nothing could be measured: servers did not answer, or the application did not run"}},
      .usages = {"eventspace tune PATHMAP --scope NAME --max-slowdown RATIO [OPTIONS]",
                 "eventspace tune PATHMAP --scope NAME --min-rate HZ [OPTIONS]"}};
  return {
      "tune", "Find the tree with which a scope is fast and its slowdown is small",
      with_options<TuneOptions>([](CLI::App& app, TuneOptions& options) { add_options(app, options); }, run),
      guide};
}

}  // namespace eventspace

#include "apps/windtunnel/program/options.h"

#include <CLI/CLI.hpp>

#include <eventspace/error.h>

namespace eventspace::windtunnel {
namespace {

constexpr auto kFooter =
    "Every process of a run is started with the same options; the pathmap says which threads each of them\n"
    "runs. The process of thread `main` prints the summary and writes the pictures.\n"
    "Exit status: 0 fine, or interrupted; 1 a wrong result; 2 wrong usage or pathmap; 3 could not reach or\n"
    "write what it needed.";

// Options as given, before they are checked.
struct Words {
  std::string size = "small";
  std::string obstacle = "cylinder";
  std::string stall;
  std::uint64_t every = 0;
  bool no_collect = false;
};

void add_session_options(CLI::App& app, Options& options, Words& words) {
  app.add_option("--pathmap", options.pathmap, "which threads, elements and paths there are")
      ->envname("EVENTSPACE_PATHMAP")
      ->required();
  app.add_option("--process", options.process, "which process of the pathmap this is")
      ->envname("EVENTSPACE_PROCESS");
  app.add_flag("--no-collect", words.no_collect, "without event collectors");
}

void add_tunnel_options(CLI::App& app, Options& options, Words& words) {
  auto& tunnel = options.settings.tunnel;
  auto* const size = app.add_option("--size", words.size, "N is 7680, 3840 or 960 (small)");
  size->check(CLI::IsMember({"large", "medium", "small"}));
  app.add_option("--n", tunnel.n, "a tunnel of 2N x N sites; a multiple of 32")->excludes(size);
  app.add_option("--steps", options.settings.steps, "steps to do (1000)")->check(CLI::PositiveNumber);
  app.add_option("--seed", tunnel.seed, "of all random numbers (1)");
  app.add_option("--obstacle", words.obstacle, "plate, cylinder (default) or none");
  app.add_option("--reduce-every", options.settings.reduce_every,
                 "steps from one check that mass and momentum are conserved to the next, by the collective "
                 "`balance` (0: none)");
  app.add_option("--barrier-every", options.settings.barrier_every,
                 "steps after which all threads wait for each other, by the collective `barrier` (0: never)");
}

void add_output_options(CLI::App& app, Options& options, Words& words) {
  auto* const frames =
      app.add_option("--frames", options.frames, "directory for pictures of density and velocity");
  app.add_option("--every", words.every, "steps from picture to picture (default: the last step only)")
      ->needs(frames)
      ->check(CLI::PositiveNumber);
  app.add_option("--summary", options.summary, "JSON file for the summary");
  app.add_option("--stall", words.stall,
                 "THREAD@STEP[:spin|wait|sleep]: makes a thread compute, wait in an operation, or sleep for "
                 "ever");
}

void apply(const Words& words, bool by_size, Options& options) {
  auto& settings = options.settings;
  if (by_size) settings.tunnel.n = parse_size(words.size);
  settings.tunnel.obstacle = parse_obstacle(words.obstacle);
  validate(settings.tunnel);
  if (!options.frames.empty()) settings.frame_every = words.every > 0 ? words.every : settings.steps;
  if (!words.stall.empty()) options.stall = parse_stall(words.stall);
  options.collect = !words.no_collect;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app("The wind tunnel: a lattice gas in parallel threads that exchange border rows on paths.",
               "windtunnel");
  Options options;
  Words words;
  app.footer(kFooter);
  add_session_options(app, options, words);
  add_tunnel_options(app, options, words);
  add_output_options(app, options, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw ConfigurationError(std::string(error.what()) + "; see windtunnel --help");
  }
  apply(words, app.count("--n") == 0, options);
  return options;
}

}  // namespace eventspace::windtunnel

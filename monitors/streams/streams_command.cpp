#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/streams/network_tables.h"
#include "monitors/text/plain_output.h"
#include "scopes/streams/attaching/network_file.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using streams::AttachPoint;

struct StreamsOptions {
  std::string network;
  std::chrono::nanoseconds timeout = std::chrono::seconds(3);
  Format format{Format::text};
  bool filters{false};
};

int list_networks(const StreamsOptions& options, const std::vector<AttachPoint>& points) {
  if (points.empty() && options.format == Format::text)
    print_message("no network of streams runs on this machine");
  const auto networks = ask_networks(points, Deadline::after(options.timeout));
  if (!networks.empty() || options.format != Format::text)
    print_networks(std::cout, options.format, networks);
  const bool all_answer = std::ranges::all_of(networks, [](const auto& one) { return one.silence.empty(); });
  return all_answer ? exit_fine : exit_unreachable;
}

int show_network(const StreamsOptions& options, const std::vector<AttachPoint>& points) {
  const auto point = std::ranges::find(points, options.network, &AttachPoint::network);
  if (point == points.end()) {
    throw EnvironmentError(fmt::format(
        "no network of streams '{}' runs on this machine; `eventspace streams` lists the running networks",
        escaped(options.network)));
  }
  const FoundNetwork found = ask_networks({*point}, Deadline::after(options.timeout)).front();
  if (!found.silence.empty()) {
    throw EnvironmentError(fmt::format(
        "the front-end of network {} (pid {}): {}; a front-end answers only while it waits for its network",
        found.name, found.pid, found.silence));
  }
  if (options.filters) {
    print_filters(std::cout, options.format, found.report);
  } else {
    print_streams(std::cout, options.format, found.report);
  }
  const auto& report = found.report;
  if (!report.silent.empty()) {
    print_warning(fmt::format("internal processes {} have not answered; their counts are missing",
                              report.silent.to_text(200)));
  }
  return report.silent.empty() ? exit_fine : exit_unreachable;
}

}  // namespace

Command streams_command() {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace streams", "the networks of streams of this user on this machine"},
                   {"eventspace streams tools", "the counters of each stream in each process of one network"},
                   {"eventspace streams tools --filters",
                    "the work and the time of each filter of its streams"}},
      .statuses = {{exit_unreachable, "there is no such network, or a process of it does not answer"}}};
  return {
      "streams", "List the networks of streams on this machine, or the counters of one",
      with_options<StreamsOptions>(
          [](CLI::App& app, StreamsOptions& options) {
            CLI::Option* const network =
                app.add_option("NETWORK", options.network, "Network of streams to show [lists all networks]");
            app.add_flag("--filters", options.filters, "Show the filters of the streams")->needs(network);
            add_format(app, options.format);
            add_timeout(app, options.timeout, "3s");
          },
          [](const StreamsOptions& options) {
            const auto points = streams::NetworkFile::find();
            return options.network.empty() ? list_networks(options, points) : show_network(options, points);
          }),
      guide};
}

}  // namespace eventspace

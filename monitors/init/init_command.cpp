#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/commands.h"
#include "monitors/init/first_pathmap.h"
#include "monitors/text/counted.h"
#include "pathmaps/pathmap.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {
namespace {

constexpr std::size_t max_threads_of_a_pathmap = 10'000;  // of a pathmap

struct InitOptions {
  std::filesystem::path file{"pathmap.yaml"};
  std::string name;
  std::filesystem::path hosts;
  std::optional<std::size_t> processes;
  std::optional<std::size_t> threads;
  std::uint16_t port{7100};
};

bool to_standard_output(const InitOptions& options) { return options.file == "-"; }

std::string name_of(const InitOptions& options) {
  if (!options.name.empty()) return options.name;
  return to_standard_output(options) ? "app" : options.file.stem().string();
}

void place_on_hosts(const InitOptions& options, FirstPathmap& first) {
  first.hosts = read_host_file(options.hosts);
  if (!options.processes) return;
  if (*options.processes < first.hosts.size())
    throw ConfigurationError(
        fmt::format("found --processes {}; expected at least one for each of the {} hosts in '{}'",
                    *options.processes, first.hosts.size(), escaped(options.hosts.string())));
  spread(*options.processes, first.hosts);
}

std::size_t all_processes_of(const FirstPathmap& first) {
  if (first.hosts.empty()) return first.processes;
  std::size_t processes = 0;
  for (const HostEntry& entry : first.hosts) processes += entry.processes;
  return processes;
}

FirstPathmap first_pathmap(const InitOptions& options, const std::vector<std::string>& command) {
  FirstPathmap first;
  first.name = name_of(options);
  first.file = to_standard_output(options) ? "FILE" : escaped(options.file.string());
  first.command = command;
  first.port = options.port;
  if (options.hosts.empty()) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    first.processes = options.processes.value_or(1);
    first.threads = std::max<std::size_t>(1, cores / first.processes);
  } else {
    place_on_hosts(options, first);
  }
  first.threads = options.threads.value_or(first.threads);
  if (all_processes_of(first) * first.threads > max_threads_of_a_pathmap)
    throw ConfigurationError(
        fmt::format("{} processes with {} threads each are too many; a pathmap can have at most {} threads",
                    all_processes_of(first), first.threads, max_threads_of_a_pathmap));
  return first;
}

// Faults of the text come from the user's words: a name, a host.
std::string checked_text(const FirstPathmap& first) {
  std::string text = text_of(first);
  const LoadResult loaded = parse_plan(text, first.file);
  if (loaded.faults.empty()) return text;
  throw ConfigurationError(
      fmt::format("the pathmap was not written, because it would have a fault: {}; its names come from "
                  "--name and the host file",
                  loaded.faults.front().text));
}

// O_EXCL: never touches an existing file, even if it was created just now.
void write_new(const std::filesystem::path& file, const std::string& text) {
  const FileHandle handle(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!handle.valid() && errno == EEXIST)
    throw ConfigurationError(
        fmt::format("'{}' already exists; name another file, or remove it", escaped(file.string())));
  if (!handle.valid())
    throw EnvironmentError::from_errno("cannot make '" + escaped(file.string()) + "'", errno);
  if (write_fully(handle.get(), std::as_bytes(std::span(text))) < text.size()) {
    const int error = errno;
    ::unlink(file.c_str());  // do not leave a partly written file
    throw EnvironmentError::from_errno("cannot write '" + escaped(file.string()) + "'", error);
  }
}

int write_first_pathmap(const InitOptions& options, const std::vector<std::string>& command) {
  const FirstPathmap first = first_pathmap(options, command);
  const std::string text = checked_text(first);
  if (to_standard_output(options)) {
    std::cout << text;
    return exit_fine;
  }
  write_new(options.file, text);
  const std::size_t processes = all_processes_of(first);
  std::cout << fmt::format(
      "wrote {0}: {1}, {2}, {3}; its comments say what to change\n"
      "next: eventspace check {0}\n",
      first.file, counted(std::max<std::size_t>(1, first.hosts.size()), "node"),
      counted(processes, "process"), counted(processes * first.threads, "thread"));
  return exit_fine;
}

}  // namespace

Command init_command() {
  const auto command = std::make_shared<std::vector<std::string>>();
  const auto add = [command](CLI::App& app) {
    const auto options = std::make_shared<InitOptions>();
    app.add_option("FILE", options->file, "Pathmap to write; - is standard output [pathmap.yaml]");
    app.add_option("--name", options->name, "Name of the application [that of the file]")->type_name("NAME");
    app.add_option("--hosts", options->hosts,
                   "Make a node for each host in this file, with slots=N for N processes")
        ->type_name("FILE");
    app.add_option("--processes", options->processes, "Number of processes [1; with --hosts: the slots]")
        ->check(whole_number_from(1, max_threads_of_a_pathmap))
        ->type_name("N");
    app.add_option("--threads", options->threads,
                   "Number of threads of each process [the processors of this machine; with --hosts: 1]")
        ->check(whole_number_from(1, max_threads_of_a_pathmap))
        ->type_name("N");
    app.add_option("--port", options->port,
                   "With --hosts: port of the servers, which also use the next one [7100]")
        ->check(whole_number_from(1, 65534))
        ->type_name("PORT");
    return [options, command] { return write_first_pathmap(*options, *command); };
  };
  const CommandGuide guide{
      .group = CommandGroup::pathmaps,
      .examples = {{"eventspace init app.yaml", "a first pathmap for this machine"},
                   {"eventspace init app.yaml --hosts hosts.txt", "for the hosts of a file"}},
      .statuses = {{exit_usage, "usage error, or the file exists; nothing was written"}}};
  return {"init", "Write a first pathmap, with comments, for this machine or a list of hosts", add, guide,
          command};
}

}  // namespace eventspace

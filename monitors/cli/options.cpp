#include "monitors/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "monitors/cli/checked_values.h"
#include "monitors/text/duration_text.h"

namespace eventspace {

void add_pathmap(CLI::App& app, std::filesystem::path& file) {
  app.add_option("PATHMAP", file, "Pathmap (YAML); - is standard input")->required();
}

void add_pathmap_file(CLI::App& app, std::filesystem::path& file) {
  app.add_option("PATHMAP", file, "Pathmap (YAML), a file")->required();
}

void add_session(CLI::App& app, std::string& session, const std::string& otherwise) {
  app.add_option("--session", session, fmt::format("Name of the session [{}]", otherwise))
      ->type_name("NAME")
      ->group(common_options);
}

void add_format(CLI::App& app, Format& format) {
  add_choice(app, "--format", format, {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}},
             "Output format [text]")
      ->group(common_options);
}

void add_quiet(CLI::App& app, bool& quiet) {
  app.add_flag("--quiet", quiet, "Do not print progress or a summary on standard error")
      ->group(common_options);
}

void add_verbose(CLI::App& app, bool& verbose) {
  app.add_flag("--verbose", verbose, "Print events, pulls, losses and overhead on standard error at the end")
      ->group(common_options);
}

CLI::Option* add_once(CLI::App& app, bool& once) {
  return app.add_flag("--once", once, "Observe for a quarter of a second, and exit");
}

void add_limit(CLI::App& app, std::size_t& limit) {
  app.add_option("--limit", limit,
                 fmt::format("Show at most this many rows in text; 0 shows all [{}]", limit));
}

void add_count(CLI::App& app, std::size_t& count, const std::string& counted, const std::string& otherwise) {
  app.add_option("--count", count, fmt::format("Stop after this many {} [{}]", counted, otherwise));
}

namespace {

// `Value` is a duration or an optional duration.
template <class Value>
CLI::Option* add_duration_of(CLI::App& app, const std::string& name, Value& value, const std::string& help) {
  const auto take = [&value, name](const CLI::results_t& words) {
    const auto duration = duration_from(words.at(0));
    if (!duration) {
      throw CLI::ValidationError(
          name,
          "found '" + words.at(0) +
              "'; expected a number and a unit (us, ms, s, min or h), from 0 to 2562047h, such as 500ms");
    }
    value = *duration;
    return true;
  };
  return app.add_option(name, take, help)->type_name("TIME");
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::nanoseconds& value,
                          const std::string& help) {
  return add_duration_of(app, name, value, help);
}

CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::nanoseconds>& value, const std::string& help) {
  return add_duration_of(app, name, value, help);
}

void add_timeout(CLI::App& app, std::chrono::nanoseconds& timeout, const std::string& otherwise) {
  add_duration(app, "--timeout", timeout,
               fmt::format("Wait at most this long for an answer [{}]", otherwise));
}

void add_pull_timeout(CLI::App& app, std::chrono::nanoseconds& timeout) {
  add_timeout(app, timeout, "the scope's time-out");
  app.get_option("--timeout")->group(common_options);
  const auto use = [](const std::string& file) { ::setenv("EVENTSPACE_KEYS", file.c_str(), 1); };
  app.add_option_function<std::string>("--token", use,
                                       "Observe with this token, which `eventspace share` wrote")
      ->type_name("FILE")
      ->group(common_options);
}

std::optional<Deadline> pull_deadline(std::chrono::nanoseconds timeout) {
  if (timeout.count() == 0) return std::nullopt;
  return Deadline::after(timeout);
}

}  // namespace eventspace

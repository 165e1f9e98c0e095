#include "monitors/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "monitors/cli/checked_values.h"
#include "monitors/text/duration_text.h"

namespace eventspace {

void add_pathmap(CLI::App& app, std::filesystem::path& file) {
  app.add_option("PATHMAP", file, "The pathmap (YAML); - is standard input")->required();
}

void add_pathmap_file(CLI::App& app, std::filesystem::path& file) {
  app.add_option("PATHMAP", file, "The pathmap (YAML), a file")->required();
}

void add_session(CLI::App& app, std::string& session) {
  app.add_option("--session", session, "Name of the session [$EVENTSPACE_SESSION, else the pathmap's name]")
      ->type_name("NAME");
}

void add_format(CLI::App& app, Format& format) {
  add_choice(app, "--format", format, {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}},
             "How results are written [text]");
}

void add_cost(CLI::App& app, bool& cost) {
  app.add_flag("--cost", cost, "At the end, says on standard error what watching cost this monitor");
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

void add_pull_timeout(CLI::App& app, std::chrono::nanoseconds& timeout) {
  add_duration(app, "--timeout", timeout,
               "What a pull waits for servers that do not answer [the scope's time-out]");
  const auto use = [](const std::string& file) { ::setenv("EVENTSPACE_KEYS", file.c_str(), 1); };
  app.add_option_function<std::string>("--token", use,
                                       "Pulls as an observer, with the token that `eventspace share` wrote")
      ->type_name("FILE");
}

std::optional<Deadline> pull_deadline(std::chrono::nanoseconds timeout) {
  if (timeout.count() == 0) return std::nullopt;
  return Deadline::after(timeout);
}

}  // namespace eventspace

#include "monitors/questions/question_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"
#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

void add_number(CLI::App& app, Question& question, const std::string& parameter, const std::string& type,
                const std::string& help) {
  const auto set = [&question, parameter](const std::string& text) {
    question.numbers[parameter] = text;
    question.makes_numbers = true;
  };
  app.add_option_function<std::string>("--" + parameter, set, help)->type_name(type);
}

void require_match(std::string_view option, std::string_view noun, const std::string& session,
                   const std::string& glob, const std::set<std::string_view>& names) {
  if (glob.empty() || names.empty()) return;
  const auto matches = [&glob](std::string_view name) { return glob_match(glob, name); };
  if (std::ranges::any_of(names, matches)) return;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw ConfigurationError(fmt::format("{} '{}' matches no {} of session {}{}", option, glob, noun, session,
                                       hint(glob, known, 8)));
}

void check_all_names(Consumer& consumer, const Question& question) {
  const View view = consumer.open("heartbeat").pull({});
  std::set<std::string_view> threads;
  std::set<std::string_view> paths;
  for (const TraceTuple& record : view.records) {
    const RecordHeader header = header_of(record);
    const std::string_view thread = consumer.names().thread_name(header.thread);
    threads.insert(thread);
    if (question.threads.empty() || glob_match(question.threads, thread))
      paths.insert(consumer.names().path_name(header.path));
  }
  require_match("--threads", "thread", consumer.session(), question.threads, threads);
  require_match("--paths", "path", consumer.session(), question.paths, paths);
}

}  // namespace

void add_whose_events(CLI::App& app, Question& question) {
  app.add_option("--threads", question.threads, "Only threads whose names match [all]")
      ->type_name("GLOB")
      ->group(event_options);
  app.add_option("--paths", question.paths, "Only events of paths whose names match [all]")
      ->type_name("GLOB")
      ->group(event_options);
}

void add_since(CLI::App& app, std::optional<std::chrono::nanoseconds>& since) {
  add_duration(app, "--since", since,
               "Start with events that ended at most this long ago [the oldest event that is kept]")
      ->group(event_options);
}

void add_which_events(CLI::App& app, Question& question) {
  add_whose_events(app, question);
  app.add_option(
         "--where", question.where,
         "Only events for which this condition holds, such as \"verb == 'take' and duration > 20ms\" [all]")
      ->type_name("EXPR")
      ->group(event_options);
  add_since(app, question.since);
}

void add_last(CLI::App& app, Question& question) {
  app.add_option("--last", question.last, "Print the last N events and those in flight, and exit")
      ->type_name("N")
      ->check(whole_number_from(1, 1'000'000));
}

void add_numbers(CLI::App& app, Question& question) {
  add_number(app, question, "of", "EXPR", "Compute from this number or duration of each event [duration]");
  add_number(app, question, "by", "FIELD", "Compute a value for each thread, path, verb, ... [one for all]");
  add_number(app, question, "as", "KIND", "Compute count, sum, mean, min, max or histogram [mean]");
  const auto limit = [&question](std::int64_t number) {
    question.numbers["most"] = number;
    question.makes_numbers = true;
  };
  app.add_option_function<std::int64_t>("--limit", limit, "Show at most this many values, the greatest [all]")
      ->type_name("N")
      ->check(whole_number_from(1, 1'000'000'000));
}

void note_scope(CLI::App& app, AskedScope& asked) {
  app.get_option("--scope")->each([&asked](const std::string& name) {
    asked.name = name;
    asked.is_given = true;
  });
}

void check_names(Consumer& consumer, const Question& question) {
  if (!consumer.plan().has_pathmap && !(question.threads.empty() && question.paths.empty()))
    check_all_names(consumer, question);
}

EventScope open_asked(Consumer& consumer, const std::filesystem::path& pathmap, const AskedScope& asked) {
  ScopeTree tree = asked_scope(pathmap, consumer.plan(), asked);
  check_names(consumer, asked.question);
  return consumer.open(std::move(tree));
}

}  // namespace eventspace

#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <optional>

#include "monitors/questions/question.h"
#include "monitors/questions/question_scope.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {

// Options that ask a question. Each function adds options that write to its last argument, which must outlive
// the parsing.

/// `--threads` and `--paths`.
void add_whose_events(CLI::App& app, Question& question);
/// The above, `--where` and `--since`.
void add_which_events(CLI::App& app, Question& question);
/// `--since`; nullopt if it is not given.
void add_since(CLI::App& app, std::optional<std::chrono::nanoseconds>& since);
/// `--last`.
void add_last(CLI::App& app, Question& question);
/// `--of`, `--by`, `--as` and `--limit`; they set Question::makes_numbers.
void add_numbers(CLI::App& app, Question& question);
/// Records in AskedScope::is_given whether the user gave the option `--scope`, which `app` must have.
void note_scope(CLI::App& app, AskedScope& asked);

/// For a session without a pathmap, whose names are known only from running processes: reads once all
/// recorded events, for up to the scope's time-out. Throws ConfigurationError with near names if there are
/// threads and none of them, or of their paths, matches. No effect with a pathmap.
void check_names(Consumer& consumer, const Question& question);

/// Opens the scope of asked_scope(), and checks the names as check_names() does.
EventScope open_asked(Consumer& consumer, const std::filesystem::path& pathmap, const AskedScope& asked);

}  // namespace eventspace

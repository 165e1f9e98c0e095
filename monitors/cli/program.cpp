#include "monitors/cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <span>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command_page.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/help_text.h"
#include "monitors/cli/old_names.h"
#include "monitors/cli/standard_descriptors.h"
#include "monitors/cli/usage_error.h"
#include "monitors/text/plain_output.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace {
namespace {

int complain(int status, const std::string& text) {
  print_message(text);
  return status;
}

// Faults are printed without a prefix, because editors and scripts parse these lines.
int complain(const FaultyPathmap& error) {
  for (const Fault& fault : error.faults()) std::cerr << to_string(fault) << '\n';
  if (!error.note().empty()) std::cerr << "note: " << error.note() << '\n';
  return complain(exit_usage, error.what());
}

int print_help(const CLI::App& app, const std::vector<Command>& commands) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) {
    std::cout << program_help_text(pages_of(commands));
    return exit_fine;
  }
  const auto command = std::ranges::find(commands, chosen.front()->get_name(), &Command::name);
  std::cout << help_text(page_of(*command));
  return exit_fine;
}

int parse_failed(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> words,
                 const std::vector<Command>& commands) {
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr)
    return run_guarded([&] { return print_help(app, commands); });
  if (error.get_exit_code() == 0) return run_guarded([&] { return app.exit(error); });  // --version
  const std::vector<CommandPage> pages = pages_of(commands);
  if (words.size() < 2)
    std::cerr << program_help_text(pages);
  else
    print(explain(app, error, words, pages));
  return exit_usage;
}

// Removes the words after "--" from the parser's input if the command handles them itself.
std::span<const char* const> without_behind_dashes(const std::vector<Command>& commands,
                                                   std::span<const char* const> words) {
  const auto command = std::ranges::find_if(
      commands, [&](const Command& known) { return words.size() > 1 && known.name == words[1]; });
  if (command == commands.end() || command->behind_dashes == nullptr) return words;
  const auto dashes =
      std::ranges::find_if(words, [](const char* word) { return std::string_view(word) == "--"; });
  if (dashes == words.end()) return words;
  command->behind_dashes->assign(dashes + 1, words.end());
  return words.first(static_cast<std::size_t>(dashes - words.begin()));
}

// An unusable directory is an error only for the command that needs it.
void notify_taken_names() {
  try {
    for (const std::string& line : taken_directory_names()) std::cerr << "eventspace: note: " << line << '\n';
  } catch (const Error&) {
  }
}

}  // namespace

int run_guarded(const Command::Run& run) {
  try {
    const int status = run();
    std::cout.flush();
    return std::cout ? status : complain(exit_unreachable, "cannot write to standard output");
  } catch (const FaultyPathmap& error) {
    return complain(error);
  } catch (const ConfigurationError& error) {
    return complain(exit_usage, error.what());
  } catch (const std::exception& error) {
    return complain(exit_unreachable, error.what());
  }
}

int run_program(const std::vector<Command>& commands, const BuildInfo& build, int argc,
                const char* const* argv) {
  occupy_standard_descriptors();
  const PlainOutput plain_out(std::cout);
  const PlainOutput plain_err(std::cerr);
  CLI::App app("Observes the communication of parallel programs while they run", "eventspace");
  app.set_version_flag("--version", version_text(build));
  app.require_subcommand(1);
  std::map<const CLI::App*, Command::Run> runs;
  for (const Command& command : commands) {
    CLI::App* const sub = app.add_subcommand(command.name, command.help);
    runs[sub] = command.add(*sub);
    refuse_signs(*sub);
    refuse_repeated_flags(*sub);
  }
  const PresentWords present = with_present_names({argv, argv + argc});
  for (const std::string& note : present.notes) std::cerr << "eventspace: note: " << note << '\n';
  std::vector<const char*> given;
  for (const std::string& word : present.words) given.push_back(word.c_str());
  const auto words = without_behind_dashes(commands, given);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error, words, commands);
  }
  notify_taken_names();
  return run_guarded(runs.at(app.get_subcommands().front()));
}

}  // namespace eventspace

#include "monitors/manual/manual_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/help_text.h"
#include "monitors/cli/usage_error.h"
#include "monitors/manual/completion.h"
#include "monitors/manual/man_page.h"
#include "monitors/manual/options_markdown.h"
#include "monitors/manual/text_file.h"

namespace eventspace {
namespace {

int print_help_of(const std::string& name, const std::vector<Command>& commands) {
  const std::vector<CommandPage> pages = pages_of(commands);
  if (name.empty()) {
    std::cout << program_help_text(pages);
    return exit_fine;
  }
  const auto page = std::ranges::find(pages, name, &CommandPage::name);
  if (page != pages.end()) {
    std::cout << help_text(*page);
    return exit_fine;
  }
  print(unknown_command(name, pages));
  return exit_usage;
}

struct ManualOptions {
  std::filesystem::path man;
  std::filesystem::path completion;
  std::filesystem::path markdown;
};

void write_completion(const std::filesystem::path& directory, const std::vector<CommandPage>& pages) {
  write_text_file(directory / "eventspace.bash", completion_script(Shell::bash, pages));
  write_text_file(directory / "_eventspace", completion_script(Shell::zsh, pages));
  write_text_file(directory / "eventspace.fish", completion_script(Shell::fish, pages));
}

int write_manual(const ManualOptions& options, const std::vector<Command>& commands, const BuildInfo& build) {
  if (options.man.empty() && options.completion.empty() && options.markdown.empty())
    throw ConfigurationError("nothing to write; use --man, --completion or --markdown");
  const std::vector<CommandPage> pages = pages_of(commands);
  if (!options.man.empty()) write_man_pages(options.man, pages, build);
  if (!options.completion.empty()) write_completion(options.completion, pages);
  if (!options.markdown.empty())
    write_text_file(options.markdown, with_options(read_text_file(options.markdown), pages));
  return exit_fine;
}

}  // namespace

Command help_command(const CommandList& commands) {
  const CommandGuide guide{.group = CommandGroup::help,
                           .examples = {{"eventspace help", "the list of commands"},
                                        {"eventspace help heartbeat", "the options of one command"}}};
  const auto add = [commands](CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    app.add_option("COMMAND", *name, "Command to explain [all, one line each]");
    return [name, commands] { return print_help_of(*name, commands()); };
  };
  return {"help", "List the commands, or explain one", add, guide};
}

Command completion_command(const CommandList& commands) {
  const CommandGuide guide{
      .group = CommandGroup::help,
      .examples = {{"eventspace completion bash > ~/.local/share/bash-completion/completions/eventspace",
                    "for this user; an installation has it in its prefix"}}};
  const auto add = [commands](CLI::App& app) {
    const auto shell = std::make_shared<Shell>();
    add_choice(app, "SHELL", *shell, {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
               "Shell that uses the script")
        ->required();
    return [shell, commands] {
      std::cout << completion_script(*shell, pages_of(commands()));
      return exit_fine;
    };
  };
  return {"completion", "Write the completion script of a shell", add, guide};
}

Command manual_command(const CommandList& commands, const BuildInfo& build) {
  const auto add = [commands, build](CLI::App& app) {
    const auto options = std::make_shared<ManualOptions>();
    app.add_option("--man", options->man, "Write the manual pages into this directory")
        ->type_name("DIRECTORY");
    app.add_option("--completion", options->completion,
                   "Write the completion scripts of all shells into this directory")
        ->type_name("DIRECTORY");
    app.add_option("--markdown", options->markdown, "Rewrite the generated parts of this file")
        ->type_name("FILE");
    return [options, commands, build] { return write_manual(*options, commands(), build); };
  };
  return {"manual", "Write the documentation that is generated from the commands", add, {}, {}, true};
}

}  // namespace eventspace

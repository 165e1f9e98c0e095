#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command_page.h"

namespace eventspace {

// Manual pages in the language of man(7), section 1. They contain only data of the commands' parsers and
// guides, and no build time.

/// eventspace-COMMAND.1
std::string man_page(const CommandPage& page, const BuildInfo& build);
/// eventspace.1, which lists the commands.
std::string man_page_of_program(const std::vector<CommandPage>& pages, const BuildInfo& build);

/// Writes the pages of the program and of all commands that are not hidden into a directory, which it makes.
/// Throws EnvironmentError if a file cannot be written.
void write_man_pages(const std::filesystem::path& directory, const std::vector<CommandPage>& pages,
                     const BuildInfo& build);

/// `text` as a line of man(7): requests and escapes in it are quoted, and words in `backquotes` are bold.
std::string roff(const std::string& text);

}  // namespace eventspace

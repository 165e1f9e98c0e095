#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace eventspace {

enum class Shell : std::uint8_t { bash, zsh, fish };

/// The script with which a shell completes commands, options, their values and files of the command line of
/// `eventspace`. For names of sessions, scopes, threads and metrics it runs `eventspace words`.
std::string completion_script(Shell shell, const std::vector<CommandPage>& pages);

}  // namespace eventspace

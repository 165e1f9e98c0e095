#pragma once

// Private to monitors/.

#include <string>
#include <vector>

namespace eventspace {

/// Returns `command`, whose word `launcher` is the launcher of Open MPI, with options by which it gives the
/// variables of `names` to processes on other machines (`-x NAME`), unless the command does that already.
/// Throws ConfigurationError if the command has the variables in mca_base_env_list, which the launcher does
/// not accept beside them; the text says what to do. Pure.
std::vector<std::string> forwarding(std::vector<std::string> command, std::size_t launcher,
                                    const std::vector<std::string>& names);

}  // namespace eventspace

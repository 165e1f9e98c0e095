#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// Returns `command`, whose word `launcher` is the launcher of Open MPI, with options that pass the variables
/// of `names` to processes on other machines (`-x NAME`), unless the command already has them. Throws
/// ConfigurationError with advice if the command uses mca_base_env_list, which the launcher does not accept
/// beside these options. Pure.
std::vector<std::string> forwarding(std::vector<std::string> command, std::size_t launcher,
                                    const std::vector<std::string>& names);

}  // namespace eventspace

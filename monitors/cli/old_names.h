#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// The words of a command line, with the present names of commands and options.
struct PresentWords {
  std::vector<std::string> words;
  std::vector<std::string> notes;  ///< one for each old name: which name is the new one
};

/// Replaces names that commands and options had in earlier versions. They still work, but no help, page or
/// completion has them. `words` begin with the name of the program; words after "--" are not changed.
PresentWords with_present_names(std::vector<std::string> words);

}  // namespace eventspace

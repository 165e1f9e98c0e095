#pragma once

#include <string>

namespace eventspace {

/// An error in a pathmap, with its place. load_plan (pathmaps/pathmap.h) returns faults as values instead of
/// throwing, so that a user sees all errors of a file at once.
struct Fault {
  std::string file;  ///< as given to load_plan, or found through `include:`
  int line{0};       ///< from 1; 0 if the fault concerns the whole file
  int column{0};     ///< from 1; 0 if line is 0
  std::string text;  ///< the value that was found, and the values that are allowed
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Returns "FILE:LINE:COLUMN: error: TEXT", the form of compilers' messages, which editors understand; or
/// "FILE: error: TEXT" for a fault of the whole file. It is one line without control characters, which are
/// escaped, such as "\u001b".
std::string to_string(const Fault& fault);

}  // namespace eventspace

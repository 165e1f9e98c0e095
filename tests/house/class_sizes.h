#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::house {

/// A class, struct or union with a body, and the number of member functions that the body declares.
struct ClassSize {
  std::string name{};       ///< without its scope: "Loop" of `class Server::Loop`; empty if anonymous
  std::size_t methods{0};   ///< without constructors, the destructor, and defaulted or deleted functions
  std::string full_name{};  ///< with its namespaces and classes: "eventspace::Server::Loop"
  bool is_unique{false};  ///< no other file may define the name: not in an anonymous scope, no specialisation
};

/// Returns the classes of a C++ file in the order in which their bodies end. Reads declarations only: macros
/// are not expanded, and classes in function bodies are left out.
std::vector<ClassSize> class_sizes(std::string_view text);

}  // namespace eventspace::house

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace {

/// "1 node", "4 nodes", "0 processes": a count and a noun, which is given in the singular. Pure.
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace eventspace

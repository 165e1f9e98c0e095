#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eventspace::web {

/// Random bytes from the kernel as hexadecimal digits. Throws EnvironmentError if the kernel refuses.
std::string random_hex(std::size_t bytes);

/// A secret of 256 bits.
inline std::string make_secret() { return random_hex(32); }

/// Whether the texts are equal. The time depends only on their lengths, so that it does not reveal how much
/// of a guess is right.
bool equal_secrets(std::string_view a, std::string_view b) noexcept;

}  // namespace eventspace::web

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace eventspace {

/// The public half of a CURVE key pair; not secret.
using PublicKey = std::array<unsigned char, 32>;

/// The secret half of a CURVE key pair, in a separate page: core files of the process do not contain the
/// page, a forked child finds zeros in it, and it is overwritten at the end. ZeroMQ keeps copies of the keys
/// of its sockets in ordinary memory; keep_out_of_core_files() covers those. Movable. Immutable, so
/// thread-safe.
class SecretKey {
 public:
  static constexpr std::size_t size = 32;

  /// Copies the bytes. Throws EnvironmentError without memory.
  explicit SecretKey(std::span<const unsigned char, size> bytes);
  ~SecretKey();
  SecretKey(SecretKey&& other) noexcept;
  SecretKey& operator=(SecretKey&& other) noexcept;

  [[nodiscard]] std::span<const unsigned char, size> bytes() const noexcept {
    return std::span<const unsigned char, size>(page_, size);
  }

 private:
  unsigned char* page_;
};

/// A CURVE key pair (https://rfc.zeromq.org/spec/26/).
struct CurveKeys {
  PublicKey open;
  SecretKey secret;
};

/// Makes a new pair. Waits while a ZeroMQ context of EventSpace is made or ended, because ZeroMQ's random
/// number source must not be used at that time. Throws EnvironmentError if this ZeroMQ lacks CURVE.
CurveKeys make_curve_keys();
/// Returns the pair of which this is the secret half.
CurveKeys curve_keys_of(SecretKey secret);
CurveKeys copy_of(const CurveKeys& keys);

/// The key as 40 printable characters (Z85). The second throws ConfigurationError, whose text names `what`
/// without repeating the characters.
std::string text_of(std::span<const unsigned char, SecretKey::size> key);
PublicKey key_of_text(std::string_view text, std::string_view what);

/// Overwrites a text that contained secrets.
void overwrite(std::string& secret) noexcept;

/// Excludes memory from core files of this process, and of programs that it starts, because the messaging has
/// copies of the keys in memory. For EventSpace's own programs, never for an application.
void keep_out_of_core_files() noexcept;

}  // namespace eventspace

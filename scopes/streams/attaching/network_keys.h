#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "paths/security/key_file.h"
#include "paths/security/session_security.h"

namespace eventspace::streams {

/// The keys of a network of streams with processes on several machines, and a file of mode 0600 in the user's
/// runtime directory that holds them as long as this object exists, for back-ends on this machine. Internal
/// processes get the keys from the process that starts them, on standard input. Keys are never passed in
/// arguments or variables, which other users may see. Thread-safe.
class NetworkKeys {
 public:
  /// Makes new keys for a network. Throws EnvironmentError if the file cannot be written.
  static std::shared_ptr<const NetworkKeys> make(std::string_view network);
  /// Parses the keys that another process has made (paths/security/key_file.h).
  static std::shared_ptr<const NetworkKeys> of_text(std::string_view network, std::string_view text);
  ~NetworkKeys();
  NetworkKeys(const NetworkKeys&) = delete;
  NetworkKeys& operator=(const NetworkKeys&) = delete;

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// A secret: overwrite() it after use.
  [[nodiscard]] std::string to_text() const { return eventspace::to_text(keys_); }
  [[nodiscard]] std::shared_ptr<const SessionSecurity> security() const;

 private:
  NetworkKeys(std::string_view network, SessionKeys keys);

  SessionKeys keys_;
  std::filesystem::path file_;
  std::int32_t owner_;
};

/// The keys that a back-end needs to connect, from the file of its attach point. Throws EnvironmentError if
/// the file cannot be read or is accessible to other users, and ConfigurationError if it does not contain
/// keys.
[[nodiscard]] std::shared_ptr<const SessionSecurity> security_of_file(const std::filesystem::path& file);

/// Whether a text can be the name of a network: 1 to 63 letters, digits, '.', '-' and '_'.
[[nodiscard]] bool is_network_name(std::string_view name) noexcept;

}  // namespace eventspace::streams

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "paths/security/session_security.h"

namespace eventspace {

/// The credentials for a colleague who may only pull through the scopes of a session: one key, which only the
/// observers' port admits, and the address of that port. As text:
///
///     eventspace-token 1
///     session NAME
///     gateway tcp://HOST:PORT
///     server PUBLIC
///     observer SECRET
struct ObserverToken {
  std::string session;
  std::string gateway;  ///< the endpoint of the observers' port
  PublicKey server;     ///< of that port
  CurveKeys observer;
};
/// The second throws ConfigurationError, whose text names `source` without repeating keys.
std::string to_text(const ObserverToken& token);
ObserverToken parse_observer_token(std::string_view text, std::string_view source);

/// If $EVENTSPACE_KEYS names a file with a token, returns the token. The file is checked like a key file.
/// `session` is for messages. Throws like read_secret_file and parse_observer_token.
std::optional<ObserverToken> token_in_environment(std::string_view session);

/// If $EVENTSPACE_KEYS names a file with a token, returns the security for its owner's connections, otherwise
/// null. Throws ConfigurationError if the token is for another session than `session`, and like
/// token_in_environment.
std::shared_ptr<const SessionSecurity> security_of_observer(std::string_view session);

}  // namespace eventspace

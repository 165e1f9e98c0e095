#include "paths/security/observer_token.h"

#include <fmt/format.h>
#include <strings.h>

#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "paths/security/key_file.h"

namespace eventspace {
namespace {

constexpr std::string_view first_line_of_token = "eventspace-token 1\n";

std::string_view line_of_token(std::string_view& text, std::string_view word, std::string_view source) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word) || end <= word.size() ||
      text[word.size()] != ' ')
    throw ConfigurationError(fmt::format("{} is not a complete token: line '{}' is missing", source, word));
  const std::string_view line = text.substr(word.size() + 1, end - word.size() - 1);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string to_text(const ObserverToken& token) {
  std::string secret = text_of(token.observer.secret.bytes());
  std::string text = fmt::format("{}session {}\ngateway {}\nserver {}\nobserver {}\n", first_line_of_token,
                                 token.session, token.gateway, text_of(token.server), secret);
  overwrite(secret);
  return text;
}

ObserverToken parse_observer_token(std::string_view text, std::string_view source) {
  if (!text.starts_with(first_line_of_token)) {
    throw ConfigurationError(fmt::format(
        "{} is not a token: expected 'eventspace-token 1' in its first line, as `eventspace share` writes it",
        source));
  }
  text.remove_prefix(first_line_of_token.size());
  std::string session(line_of_token(text, "session", source));
  std::string gateway(line_of_token(text, "gateway", source));
  if (!gateway.starts_with("tcp://"))
    throw ConfigurationError(fmt::format("'gateway' in {} does not begin with tcp://", source));
  const PublicKey server =
      key_of_text(line_of_token(text, "server", source), fmt::format("'server' in {}", source));
  PublicKey secret =
      key_of_text(line_of_token(text, "observer", source), fmt::format("'observer' in {}", source));
  CurveKeys observer = curve_keys_of(SecretKey(secret));
  ::explicit_bzero(secret.data(), secret.size());
  return {std::move(session), std::move(gateway), server, std::move(observer)};
}

std::optional<ObserverToken> token_in_environment(std::string_view session) {
  const char* const file = std::getenv("EVENTSPACE_KEYS");
  if (file == nullptr || *file == '\0') return std::nullopt;
  std::string text = read_secret_file(file, fmt::format("the keys of session {}", session));
  std::optional<ObserverToken> token;
  if (text.starts_with(first_line_of_token)) token = parse_observer_token(text, file);
  overwrite(text);
  return token;
}

std::shared_ptr<const SessionSecurity> security_of_observer(std::string_view session) {
  std::optional<ObserverToken> token = token_in_environment(session);
  if (!token) return nullptr;
  const char* const file = std::getenv("EVENTSPACE_KEYS");
  if (token->session != session) {
    throw ConfigurationError(
        fmt::format("{} is a token for session '{}', but this monitor watches '{}'; name the session of the "
                    "token, with --session if it has a pathmap",
                    file, token->session, session));
  }
  CurveKeys never_used = make_curve_keys();  // an observer does not listen
  return std::make_shared<const SessionSecurity>(SessionSecurity{
      std::move(never_used), token->server, std::move(token->observer), {}, file, token->gateway, {}});
}

}  // namespace eventspace

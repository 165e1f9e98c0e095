#include "monitors/web/http/target.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::web {
namespace {

// In parameters, as forms encode them, a plus sign is a space.
std::optional<std::string> decode_percents(std::string_view text, bool has_plus) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && has_plus) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const std::string_view digits = text.substr(i + 1, 2);
      const auto byte = number_in<unsigned char>(digits, 16);
      if (digits.size() != 2 || !byte) return std::nullopt;
      decoded += static_cast<char>(*byte);
      i += 2;
    }
  }
  return decoded;
}

bool add_parameter(std::string_view pair, Request& request) {
  const auto equals = std::min(pair.find('='), pair.size());
  auto name = decode_percents(pair.substr(0, equals), true);
  auto value = decode_percents(pair.substr(std::min(equals + 1, pair.size())), true);
  if (!name || !value) return false;
  request.parameters.emplace_back(*std::move(name), *std::move(value));
  return true;
}

}  // namespace

bool parse_target(std::string_view target, std::size_t max_parameters, Request& request) {
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return false;
  const auto question = std::min(target.find('?'), target.size());
  auto path = decode_percents(target.substr(0, question), false);
  if (!path) return false;
  request.path = *std::move(path);
  std::string_view rest = target.substr(std::min(question + 1, target.size()));
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    if (request.parameters.size() >= max_parameters || !add_parameter(rest.substr(0, end), request))
      return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

}  // namespace eventspace::web

// Reads any text as a key file and as an observer's token.

#include <eventspace/error.h>
#include "paths/security/key_file.h"
#include "paths/security/observer_token.h"
#include "tests/fuzz/fuzz.h"

namespace {

// Accepted texts can be written and read again, and refusals do not repeat parts of the secrets.
template <class Parse>
void check(const std::string& text, Parse parse) {
  try {
    const std::string again = to_text(parse(text, "a file"));
    if (to_text(parse(again, "a file")) != again) std::abort();
  } catch (const eventspace::ConfigurationError& refused) {
    constexpr std::size_t longest_message = 300;
    if (std::string_view(refused.what()).size() > longest_message) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check(text, eventspace::parse_session_keys);
  check(text, eventspace::parse_observer_token);
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {to_text(make_session_keys()),
          to_text(ObserverToken{"solver", "tcp://desk:4711", make_curve_keys().open, make_curve_keys()})};
}

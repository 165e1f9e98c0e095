#include "scopes/streams/attaching/network_keys.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

std::shared_ptr<const SessionSecurity> security_with(const SessionKeys& keys, std::string source) {
  return std::make_shared<const SessionSecurity>(SessionSecurity{copy_of(keys.listening),
                                                                 keys.listening.open,
                                                                 copy_of(keys.connecting),
                                                                 {{keys.connecting.open, Role::owner}},
                                                                 std::move(source),
                                                                 {},
                                                                 {}});
}

std::filesystem::path new_file(std::string_view network) {
  static std::atomic<int> made{0};
  return runtime_directory() / fmt::format("{}.{}.{}.keys", network, ::getpid(), ++made);
}

}  // namespace

NetworkKeys::NetworkKeys(std::string_view network, SessionKeys keys)
    : keys_(std::move(keys)), file_(new_file(network)), owner_(::getpid()) {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);  // left by an earlier process with this id, which was killed
  std::string text = to_text();
  write_secret_file(file_, text);
  overwrite(text);
}

NetworkKeys::~NetworkKeys() {
  std::error_code ignored;
  if (owner_ == ::getpid()) std::filesystem::remove(file_, ignored);
}

std::shared_ptr<const NetworkKeys> NetworkKeys::make(std::string_view network) {
  return std::shared_ptr<const NetworkKeys>(new NetworkKeys(network, make_session_keys()));
}

std::shared_ptr<const NetworkKeys> NetworkKeys::of_text(std::string_view network, std::string_view text) {
  return std::shared_ptr<const NetworkKeys>(
      new NetworkKeys(network, parse_session_keys(text, "the keys of the network")));
}

std::shared_ptr<const SessionSecurity> NetworkKeys::security() const {
  return security_with(keys_, file_.string());
}

std::shared_ptr<const SessionSecurity> security_of_file(const std::filesystem::path& file) {
  std::string text = read_secret_file(file, "the keys of a network of streams");
  auto security = security_with(parse_session_keys(text, file.string()), file.string());
  overwrite(text);
  return security;
}

bool is_network_name(std::string_view name) noexcept {
  constexpr std::size_t longest = 63;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= longest && name.front() != '.' && std::ranges::all_of(name, allowed);
}

}  // namespace eventspace::streams

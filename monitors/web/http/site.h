#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eventspace::web {

/// The rights of a page: an observer only looks, the owner also steers.
enum class Role : std::uint8_t { owner, observer };
std::string_view to_string(Role role) noexcept;

/// A text that several connections send without copying it.
using SharedText = std::shared_ptr<const std::string>;
inline SharedText share(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

/// A request that has passed all checks of Gate.
struct Request {
  bool is_post{false};
  std::string path;  ///< decoded
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string body;
  Role role{Role::observer};
  std::string token;  ///< the token against forged requests that belongs to the page's cookie

  /// The value of the first parameter with this name; null if there is none.
  [[nodiscard]] const std::string* parameter(std::string_view name) const noexcept;
};

/// A source of server-sent events for one page.
class Feed {
 public:
  Feed() = default;
  virtual ~Feed() = default;
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Returns the events that are newer than the result of the last call, each as the lines of
  /// text/event-stream. The server calls it only when the page has received the last ones: a slow page misses
  /// states, but never has a queue. Must not block.
  virtual std::vector<SharedText> take() = 0;
};

/// An answer: a text, or a stream of events if `feed` is set.
struct Answer {
  unsigned status{200};
  std::string_view type{"application/json"};  ///< a literal
  SharedText body{};
  std::shared_ptr<Feed> feed{};
};

/// The answers below /api/. Called by the server's thread, which all connections share; must not block.
class Site {
 public:
  Site() = default;
  virtual ~Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  virtual Answer answer(const Request& request) = 0;
};

}  // namespace eventspace::web

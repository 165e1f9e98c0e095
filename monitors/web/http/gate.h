#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/web/http/asset.h"
#include "monitors/web/http/cookie_table.h"
#include "monitors/web/http/host_rules.h"
#include "monitors/web/http/limits.h"
#include "monitors/web/http/site.h"

namespace eventspace::web {

/// A request as it arrived, which is not trusted.
struct ArrivedRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> fields;  ///< of the header
  std::string body;
  bool by_socket{false};  ///< through the local socket, not through the port

  /// The value of a field; nullopt if the request has it not exactly once. Ignores case.
  [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
};

/// The answer to a request, with its header.
struct Reply {
  unsigned status{200};
  std::string_view type{"text/plain; charset=utf-8"};
  std::vector<std::pair<std::string_view, std::string>> fields{};  ///< besides fields_of_every_answer()
  SharedText text{};
  std::string_view asset{};  ///< the body instead of `text`; static
  std::shared_ptr<Feed> feed{};
  std::string cookie{};           ///< of the page with the feed
  std::shared_ptr<void> place{};  ///< the feed's share of the limits, for as long as it exists
};

/// The fields of the header that every answer has: they forbid browsers to load anything from elsewhere, to
/// run scripts that are not assets, and to show the page inside another one.
const std::vector<std::pair<std::string_view, std::string_view>>& fields_of_every_answer();

/// Checks each request: its sender, its rights, and its address. Makes the answer. docs/web.md lists the
/// checks. Has no sockets and reads no clock. Not thread-safe.
///
/// The owner's and the observer's key are exchanged at /open for a cookie; all other addresses need the
/// cookie.
class Gate {
 public:
  using Time = CookieTable::Time;

  /// `site` must outlive the gate and its replies.
  Gate(Site& site, HostRules hosts, const Limits& limits);

  Reply answer(const ArrivedRequest& request, Time now);
  /// Whether the cookie of a page with a stream is still valid; counts as a use.
  bool keep(const std::string& cookie, Time now) { return cookies_.use(cookie, now) != nullptr; }

  /// The key of a role, and the address with it, "/open?key=...".
  [[nodiscard]] const std::string& key(Role role) const noexcept {
    return keys_[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] std::string opening(Role role) const { return "/open?key=" + key(role); }

 private:
  struct Places;

  [[nodiscard]] std::optional<Reply> refusal(const ArrivedRequest& request, std::string_view path) const;
  [[nodiscard]] std::optional<Reply> refusal_of_post(const ArrivedRequest& request,
                                                     const CookieTable::Entry& entry) const;
  Reply open(const Request& request, Time now);
  [[nodiscard]] std::string_view cookie_of(const ArrivedRequest& request) const;
  static Reply reply_with(const Asset* asset, const ArrivedRequest& request);
  Reply ask_site(const Request& request, const std::string& cookie);

  Site* site_;
  HostRules hosts_;
  HostRules socket_hosts_{HostRules::of_socket()};
  Limits limits_;
  CookieTable cookies_;
  std::string cookie_name_;
  std::string keys_[2];
  std::shared_ptr<Places> places_;
};

}  // namespace eventspace::web

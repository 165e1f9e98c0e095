#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/monitors/web/http/raw_client.h"
#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {

/// A page without a browser: it has opened one of the addresses that `web` printed, and reads the document of
/// session 0.
class PageClient {
 public:
  PageClient(const Call& web, const std::string& role) {
    const std::string out = web.out() + web.err();
    const auto line = out.find(role);
    const auto colon = out.find("127.0.0.1:", line) + 10;
    const auto slash = out.find('/', colon);
    port_ = std::stoi(out.substr(colon, slash - colon));
    cookie_ = cookie_in(ask(out.substr(slash, out.find('\n', slash) - slash)));
    const nlohmann::json me = get("/api/me");
    token_ = me["token"];
    role_ = me["role"];
  }

  std::string ask(const std::string& target) const {
    return RawClient(port_).ask(get_request(target, port_, cookie_));
  }
  [[nodiscard]] nlohmann::json get(const std::string& target) const {
    return nlohmann::json::parse(body_in(ask(target)), nullptr, false);
  }
  /// The value of a part of the document of session 0; null if there is none yet.
  [[nodiscard]] nlohmann::json part(const std::string& name) const {
    const nlohmann::json parts = get("/api/s/0/parts");
    return parts.is_object() && parts.contains(name) ? parts[name]["value"] : nlohmann::json();
  }
  [[nodiscard]] int order(const std::string& name, const std::string& body) const {
    return status_in(post(name, body));
  }
  /// The whole answer to an order.
  [[nodiscard]] std::string post(const std::string& name, const std::string& body) const {
    return post_with("X-EventSpace-Token: " + token_ + "\r\n", name, body);
  }
  /// The same with these fields in place of the token.
  [[nodiscard]] std::string post_with(const std::string& fields, const std::string& name,
                                      const std::string& body) const {
    const std::string host = "127.0.0.1:" + std::to_string(port_);
    return RawClient(port_).ask("POST /api/s/0/do/" + name + " HTTP/1.1\r\nHost: " + host +
                                "\r\nOrigin: http://" + host + "\r\n" + fields + cookie_ +
                                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  [[nodiscard]] const std::string& role() const { return role_; }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& cookie() const { return cookie_; }

 private:
  int port_{0};
  std::string cookie_, token_, role_;
};

}  // namespace eventspace::testing_commands

#include "monitors/web/http/gate.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

#include "monitors/web/http/secret.h"
#include "monitors/web/http/target.h"

namespace eventspace::web {
namespace {

constexpr std::string_view how_to_open =
    "This page needs the address that `eventspace web` printed (http://.../open?key=...). Open that address "
    "once in this browser. If it was opened before, its cookie has expired or the server was started "
    "again.\n";

constexpr std::string_view opened_page =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>EventSpace</title>"
    "<link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">"
    "<meta http-equiv=\"refresh\" content=\"0;url=/\"></head>"
    "<body><p><a href=\"/\">Continue to EventSpace</a></p></body></html>\n";

Reply refuse(unsigned status, std::string_view text) {
  return {.status = status, .text = share(std::string(text))};
}

bool is_same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// The modules of the page import each other, so a browser would find them one after the other.
std::string preloaded_modules() {
  std::string links;
  for (const Asset& asset : embedded_assets()) {
    if (!asset.name.ends_with(".js") || asset.name == "d3.min.js") continue;
    links += fmt::format("{}</assets/{}>; rel=modulepreload", links.empty() ? "" : ", ", asset.name);
  }
  return links;
}

// Browsers say whether another site made the request. Links from elsewhere may lead to the two first
// addresses.
bool comes_from_elsewhere(std::string_view site, std::string_view path) {
  if (site == "same-origin" || site == "none") return false;
  return path != "/" && path != "/open";
}

}  // namespace

std::string_view to_string(Role role) noexcept { return role == Role::owner ? "owner" : "observer"; }

const std::string* Request::parameter(std::string_view name) const noexcept {
  const auto found =
      std::ranges::find_if(parameters, [&](const auto& parameter) { return parameter.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

std::size_t ArrivedRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields, [&](const auto& field) { return is_same_name(field.first, name); }));
}

std::optional<std::string_view> ArrivedRequest::field(std::string_view name) const {
  if (count(name) != 1) return std::nullopt;
  return std::ranges::find_if(fields, [&](const auto& field) { return is_same_name(field.first, name); })
      ->second;
}

const std::vector<std::pair<std::string_view, std::string_view>>& fields_of_every_answer() {
  static const std::vector<std::pair<std::string_view, std::string_view>> fields{
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  return fields;
}

/// The number of streams, by cookie.
struct Gate::Places {
  std::map<std::string, std::size_t> taken;
  std::size_t all{0};

  // The place is given back when the last copy of the result is destroyed, perhaps after the gate.
  static std::shared_ptr<void> take(const std::shared_ptr<Places>& places, const std::string& cookie) {
    ++places->taken[cookie];
    ++places->all;
    return {places.get(), [places, cookie](void*) {
              --places->all;
              if (--places->taken[cookie] == 0) places->taken.erase(cookie);
            }};
  }
};

Gate::Gate(Site& site, HostRules hosts, const Limits& limits)
    : site_(&site),
      hosts_(std::move(hosts)),
      limits_(limits),
      cookies_(limits),
      cookie_name_("eventspace-" + random_hex(4)),
      keys_{make_secret(), make_secret()},
      places_(std::make_shared<Places>()) {}

Reply Gate::answer(const ArrivedRequest& request, Time now) {
  Request parsed;
  if (!parse_target(request.target, limits_.parameters, parsed))
    return refuse(400, "The address of the request is not valid, or has too many parameters.\n");
  if (auto refused = refusal(request, parsed.path)) return *std::move(refused);
  parsed.is_post = request.method == "POST";
  if (parsed.path == "/open") return open(parsed, now);
  const CookieTable::Entry* const entry = cookies_.use(cookie_of(request), now);
  if (entry == nullptr) return refuse(403, how_to_open);
  if (parsed.is_post) {
    if (auto refused = refusal_of_post(request, *entry)) return *std::move(refused);
    parsed.body = request.body;
  } else if (parsed.path == "/") {
    static const std::string modules = preloaded_modules();
    Reply reply = reply_with(find_asset("index.html"), request);
    reply.fields.emplace_back("Link", modules);
    return reply;
  }
  constexpr std::string_view assets = "/assets/";
  if (parsed.path.starts_with(assets) && !parsed.is_post)
    return reply_with(find_asset(std::string_view(parsed.path).substr(assets.size())), request);
  if (!parsed.path.starts_with("/api/")) return refuse(404, "There is nothing at this address.\n");
  parsed.role = entry->role;
  parsed.token = entry->token;
  return ask_site(parsed, entry->cookie);
}

// The checks that do not need to know the sender.
std::optional<Reply> Gate::refusal(const ArrivedRequest& request, std::string_view path) const {
  if (request.method != "GET" && request.method != "POST") {
    Reply reply = refuse(405, "Only GET and POST are served.\n");
    reply.fields.emplace_back("Allow", "GET, POST");
    return reply;
  }
  const auto host = request.field("Host");
  if (!host) return refuse(400, "The request must name its host once.\n");
  const HostRules& rules = request.by_socket ? socket_hosts_ : hosts_;
  if (!rules.allow(*host)) {
    return refuse(421,
                  fmt::format("This server answers only to its own names, such as {}. A tunnel must keep the "
                              "port (ssh -L PORT:127.0.0.1:PORT); --host NAME adds a name.\n",
                              rules.example()));
  }
  const auto origin = request.field("Origin");
  const bool lacks_origin =
      request.count("Origin") != (origin ? 1u : 0u) || (request.method == "POST" && !origin);
  if (lacks_origin || (origin && !is_own_origin(*origin, *host)))
    return refuse(403, "The request comes from a page of another site.\n");
  const auto site = request.field("Sec-Fetch-Site");
  if (site && comes_from_elsewhere(*site, path))
    return refuse(403, "The request comes from a page of another site.\n");
  return std::nullopt;
}

std::optional<Reply> Gate::refusal_of_post(const ArrivedRequest& request,
                                           const CookieTable::Entry& entry) const {
  if (entry.role != Role::owner) return refuse(403, "Observers may only look.\n");
  const auto token = request.field("X-EventSpace-Token");
  if (!token || !equal_secrets(*token, entry.token))
    return refuse(403, "The request lacks the token of this page.\n");
  return std::nullopt;
}

Reply Gate::open(const Request& request, Time now) {
  const std::string* const key = request.parameter("key");
  if (request.is_post || key == nullptr) return refuse(403, how_to_open);
  const bool is_owner = equal_secrets(*key, this->key(Role::owner));
  const bool is_observer = equal_secrets(*key, this->key(Role::observer));
  if (!is_owner && !is_observer) return refuse(403, how_to_open);
  const CookieTable::Entry& entry = cookies_.add(is_owner ? Role::owner : Role::observer, now);
  // Not a redirect: after one from another site, browsers would not send the new cookie.
  Reply reply{.type = "text/html; charset=utf-8", .text = share(std::string(opened_page))};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits_.cookie_time).count();
  reply.fields.emplace_back("Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
                                                      cookie_name_, entry.cookie, seconds));
  reply.fields.emplace_back("Cache-Control", "no-store");
  return reply;
}

// Other servers at other ports of the host have cookies in the same field.
std::string_view Gate::cookie_of(const ArrivedRequest& request) const {
  std::string_view rest = request.field("Cookie").value_or("");
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(cookie_name_) && pair.substr(cookie_name_.size()).starts_with('='))
      return pair.substr(cookie_name_.size() + 1);
  }
  return {};
}

Reply Gate::reply_with(const Asset* asset, const ArrivedRequest& request) {
  if (asset == nullptr) return refuse(404, "There is nothing at this address.\n");
  Reply reply{.type = type_of(*asset), .asset = asset->content};
  reply.fields.emplace_back("ETag", etag_of(*asset));
  reply.fields.emplace_back("Cache-Control", "no-cache");
  if (request.field("If-None-Match") == reply.fields.front().second) {
    reply.status = 304;
    reply.asset = {};
  }
  return reply;
}

Reply Gate::ask_site(const Request& request, const std::string& cookie) {
  const bool is_full =
      places_->all >= limits_.streams ||
      (places_->taken.contains(cookie) && places_->taken.at(cookie) >= limits_.streams_per_cookie);
  constexpr std::string_view streams = "/stream";
  if (is_full && request.path.ends_with(streams)) return refuse(503, "Too many pages are open.\n");
  Answer answer = site_->answer(request);
  Reply reply{.status = answer.status,
              .type = answer.type,
              .text = answer.body,
              .feed = answer.feed,
              .cookie = cookie};
  reply.fields.emplace_back("Cache-Control", "no-store");
  if (reply.feed != nullptr) reply.place = Places::take(places_, cookie);
  return reply;
}

}  // namespace eventspace::web

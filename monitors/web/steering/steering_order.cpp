#include "monitors/web/steering/steering_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include <eventspace/error.h>
#include "paths/parameters/nearest.h"

namespace eventspace::web {
namespace {

constexpr std::size_t max_text = 256;  // as of a glob
constexpr std::size_t max_page_name = 32;

/// The members of an order. Each one that an order takes is marked, so that the rest is unknown.
class OrderBody {
 public:
  explicit OrderBody(const std::string& text) : json_(nlohmann::json::parse(text, nullptr, false)) {
    if (!json_.is_object())
      throw ConfigurationError("the body must be a JSON object, as in {\"version\": 1, \"seconds\": 2}");
  }

  [[nodiscard]] bool has(std::string_view name) const { return json_.contains(std::string(name)); }
  /// The member, or null if there is none. JSON's null counts as none.
  const nlohmann::json* take(std::string_view name) {
    known_.push_back(name);
    const auto found = json_.find(std::string(name));
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string take_text(std::string_view name) {
    const nlohmann::json* const member = take(name);
    if (member == nullptr) return {};
    if (!member->is_string()) refuse(name, *member, "a text");
    auto text = member->get<std::string>();
    if (text.size() > max_text) refuse(name, *member, fmt::format("a text of at most {} bytes", max_text));
    return text;
  }
  std::optional<double> take_number(std::string_view name, double least, double most) {
    const nlohmann::json* const member = take(name);
    if (member == nullptr) return std::nullopt;
    const double number = member->is_number() ? member->get<double>() : std::nan("");
    if (!(number >= least && number <= most))
      refuse(name, *member, fmt::format("a number from {:g} to {:g}", least, most));
    return number;
  }
  std::optional<std::uint64_t> take_count(std::string_view name) {
    const nlohmann::json* const member = take(name);
    if (member == nullptr) return std::nullopt;
    if (!member->is_number_unsigned()) refuse(name, *member, "a whole number from 0 on");
    return member->get<std::uint64_t>();
  }
  /// Throws ConfigurationError if there is a member that was not taken.
  void refuse_others() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(known_, name) == known_.end())
        throw ConfigurationError(fmt::format("unknown member '{}'{}", name, hint(name, known_)));
    }
  }

 private:
  [[noreturn]] static void refuse(std::string_view name, const nlohmann::json& found,
                                  std::string_view allowed) {
    // A container may be nested as deep as the body is long.
    std::string text = found.is_structured()
                           ? std::string(found.type_name())
                           : found.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    constexpr std::size_t shown = 60;
    if (text.size() > shown) text = text.substr(0, shown) + "...";
    throw ConfigurationError(fmt::format("found {} as \"{}\"; expected {}", text, name, allowed));
  }

  nlohmann::json json_;
  std::vector<std::string_view> known_;
};

std::uint64_t version_in(OrderBody& body) {
  const auto version = body.take_count("version");
  if (!version)
    throw ConfigurationError(
        "\"version\" is missing: that of the part \"steering\" from which the order was made");
  return *version;
}

std::string page_in(OrderBody& body) {
  std::string page = body.take_text("page");
  const auto is_allowed = [](unsigned char letter) { return std::isalnum(letter) != 0; };
  if (page.size() > max_page_name || !std::ranges::all_of(page, is_allowed))
    throw ConfigurationError(fmt::format("\"page\" must be at most {} letters and digits", max_page_name));
  return page;
}

// {"on": false} is {"setting": "off"}.
std::string setting_in(OrderBody& body) {
  std::string setting = body.take_text("setting");
  const nlohmann::json* const on = body.take("on");
  if ((on != nullptr) != setting.empty() || (on != nullptr && !on->is_boolean()))
    throw ConfigurationError(
        "expected either \"on\", which is true or false, or \"setting\", which is \"on\", \"off\" or "
        "\"1/N\"");
  if (on == nullptr) return setting;
  return on->get<bool>() ? "on" : "off";
}

CollectingWish collecting_in(OrderBody& body) {
  CollectingWish wish{.setting = setting_in(body)};
  wish.path = body.take_text("path");
  wish.thread = body.take_text("thread");
  wish.process = body.take_text("process");
  wish.node = body.take_text("node");
  wish.kind = body.take_text("kind");
  wish.event_class = body.take_text("class");
  return wish;
}

IntervalWish interval_in(OrderBody& body) {
  const auto seconds = body.take_number("seconds", 0, max_interval_s);
  if (!seconds)
    throw ConfigurationError("\"seconds\" is missing: the time between two pulls, as in {\"seconds\": 0.5}");
  return {*seconds};
}

TrialWish trial_in(OrderBody& body) {
  if (!body.has("scope"))
    throw ConfigurationError("\"scope\" is missing: the scope to try, or null to end the trial");
  TrialWish wish{.scope = body.take_text("scope")};
  if (wish.scope.empty() && (body.has("variant") || body.has("rate")))
    throw ConfigurationError("\"scope\": null ends the trial: leave out \"variant\" and \"rate\"");
  wish.variant = static_cast<std::size_t>(body.take_count("variant").value_or(0));
  wish.rate = body.take_number("rate", min_trial_rate, max_trial_rate);
  return wish;
}

}  // namespace

bool is_steering_order(std::string_view name) noexcept {
  return name == "collecting" || name == "interval" || name == "scope";
}

SteeringOrder steering_order(std::string_view name, const std::string& body) {
  OrderBody members(body);
  SteeringOrder order{.version = version_in(members), .page = page_in(members), .wish = {}};
  if (name == "collecting") {
    order.wish = collecting_in(members);
  } else if (name == "interval") {
    order.wish = interval_in(members);
  } else {
    order.wish = trial_in(members);
  }
  members.refuse_others();
  return order;
}

}  // namespace eventspace::web

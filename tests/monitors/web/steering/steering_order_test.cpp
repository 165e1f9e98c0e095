#include "monitors/web/steering/steering_order.h"

#include <gmock/gmock.h>

#include <eventspace/error.h>

// The bodies of steering orders, which come from outside.
namespace eventspace::web {
namespace {

using testing::HasSubstr;

template <class Wish>
Wish wish_in(std::string_view name, const std::string& body) {
  return std::get<Wish>(steering_order(name, body).wish);
}

TEST(SteeringOrder, HasTheVersionAndThePage) {
  const SteeringOrder order = steering_order("interval", R"({"version": 7, "page": "a1", "seconds": 0.5})");
  EXPECT_EQ(order.version, 7u);
  EXPECT_EQ(order.page, "a1");
  EXPECT_EQ(std::get<IntervalWish>(order.wish).seconds, 0.5);
}

TEST(SteeringOrder, OnAndOffAreSettings) {
  EXPECT_EQ(wish_in<CollectingWish>("collecting", R"({"version": 1, "on": true})").setting, "on");
  EXPECT_EQ(wish_in<CollectingWish>("collecting", R"({"version": 1, "on": false})").setting, "off");
  const auto wish = wish_in<CollectingWish>(
      "collecting", R"({"version": 1, "setting": "1/10", "kind": "operation", "class": "write"})");
  EXPECT_EQ(wish.setting, "1/10");
  EXPECT_EQ(wish.event_class, "write");
}

TEST(SteeringOrder, ATrialIsAsFastAsPossibleWithoutARate) {
  const auto wish =
      wish_in<TrialWish>("scope", R"({"version": 1, "scope": "all", "variant": 3, "rate": null})");
  EXPECT_EQ(wish.variant, 3u);
  EXPECT_FALSE(wish.rate);
  EXPECT_TRUE(wish_in<TrialWish>("scope", R"({"version": 1, "scope": null})").scope.empty());
}

TEST(SteeringOrder, FaultsAreNamedWithWhatIsAllowed) {
  const std::string long_name(300, 'x');
  const std::string nested = std::string(30'000, '[') + std::string(30'000, ']');
  const struct {
    const char* name;
    std::string body;
    const char* text;
  } faults[]{
      {"interval", "", "must be a JSON object"},
      {"interval", "[1]", "must be a JSON object"},
      {"interval", R"({"seconds": 1})", "\"version\" is missing"},
      {"interval", R"({"version": -1, "seconds": 1})", "found -1 as \"version\"; expected a whole number"},
      {"interval", R"({"version": 1})", "\"seconds\" is missing"},
      {"interval", R"({"version": 1, "seconds": -0.1})", "expected a number from 0 to 9e+09"},
      {"interval", R"({"version": 1, "seconds": 1e300})", "expected a number from 0 to 9e+09"},
      {"interval", R"({"version": 1, "seconds": "1"})", "found \"1\" as \"seconds\""},
      {"interval", R"({"version": 1, "second": 1, "seconds": 1})",
       "unknown member 'second'; did you mean 'seconds'"},
      {"interval", R"({"version": 1, "seconds": 1, "page": "<b>"})", "letters and digits"},
      {"collecting", R"({"version": 1})", "expected either \"on\""},
      {"collecting", R"({"version": 1, "on": true, "setting": "off"})", "expected either \"on\""},
      {"collecting", R"({"version": 1, "on": "yes"})", "expected either \"on\""},
      {"collecting", R"({"version": 1, "on": true, "path": 3})", "expected a text"},
      {"collecting", R"({"version": 1, "on": true, "path": ")" + long_name + "\"}", "at most 256 bytes"},
      {"scope", R"({"version": 1, "scope": "all", "rate": 0.01})", "expected a number from 0.1 to 1e+06"},
      {"scope", R"({"version": 1, "scope": "all", "variant": 1.5})", "expected a whole number"},
      {"scope", R"({"version": 1, "variant": 2})", "\"scope\" is missing"},
      {"scope", R"({"version": 1, "scope": null, "rate": 2})", "leave out \"variant\" and \"rate\""},
      {"scope", R"({"version": 1, "scope": )" + nested + "}", "found array as \"scope\"; expected a text"},
  };
  for (const auto& [name, body, text] : faults) {
    try {
      (void)steering_order(name, body);
      ADD_FAILURE() << body;
    } catch (const ConfigurationError& error) {
      EXPECT_THAT(error.what(), HasSubstr(text)) << body;
    }
  }
}

TEST(SteeringOrder, NamesAreKnown) {
  for (const char* name : {"collecting", "interval", "scope"}) EXPECT_TRUE(is_steering_order(name));
  for (const char* name : {"", "play", "scopes", "Interval"}) EXPECT_FALSE(is_steering_order(name));
}

}  // namespace
}  // namespace eventspace::web

#include "scopes/wrappers/sort.h"

#include <string>

#include "scopes/tree/field_reader.h"
#include "scopes/wrappers/record_order.h"
#include "scopes/wrappers/scope_wrappers.h"

namespace eventspace {
namespace {

class OrderOperator final : public ViewOperator {
 public:
  explicit OrderOperator(RecordOrder order) noexcept : order_(order) {}

  void apply(View& view) override { put_in_order(view.records.whole(), order_); }

 private:
  RecordOrder order_;
};

ParameterSpec by_spec(std::vector<std::string> choices) {
  ParameterSpec by{"by", ParameterKind::text};
  by.default_value = std::string("end");
  by.choices = std::move(choices);
  by.help = "the order of the events";
  return by;
}

}  // namespace

ScopeWrapperInfo sort_wrapper() {
  ParameterSpec descending{"descending", ParameterKind::boolean};
  descending.default_value = false;
  descending.help = "greatest first";
  return {"sort",
          "orders the events",
          false,
          {by_spec(field_names([](const EventField& field) { return field.orders; })), descending},
          [](const Parameters& given, const PlanNames&) {
            return std::make_unique<OrderOperator>(
                RecordOrder(parameter<std::string>(given, "by"), parameter<bool>(given, "descending")));
          }};
}

ScopeWrapperInfo merge_wrapper() {
  return {"merge",
          "joins the views of its children, ordered by time",
          true,
          {by_spec({"start", "end"})},
          [](const Parameters& given, const PlanNames&) {
            return std::make_unique<OrderOperator>(RecordOrder(parameter<std::string>(given, "by")));
          },
          as_given};
}

}  // namespace eventspace

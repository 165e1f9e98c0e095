#include <eventspace/scopes/wrappers/plugin.h>

#include <cstdint>
#include <memory>

// A template for scope wrappers in shared objects: `every-nth: {n: 10}` lets every tenth event pass.
namespace {

using namespace eventspace;

// Acts on the combined view of the children. Dropped records must be counted.
class EveryNth final : public ViewOperator {
 public:
  explicit EveryNth(std::int64_t n) : n_(n) {}

  void apply(View& view) override {
    view.loss.filtered += erase_if(view.records, [this](const TraceTuple&) { return ++seen_ % n_ != 0; });
  }

 private:
  std::int64_t n_;
  std::int64_t seen_{0};
};

ScopeWrapperInfo every_nth() {
  ParameterSpec n{"n", ParameterKind::integer};
  n.required = true;
  n.least = 1;
  n.help = "one event in so many passes";
  ScopeWrapperInfo info;
  info.name = "every-nth";  // pathmaps may use another name
  info.help = "lets every n-th event pass";
  info.combines = false;  // takes the view of one wrapper below; with true, the views of any number of
                          // children
  info.parameters = {n};
  info.make = [](const Parameters& given, const PlanNames&) {
    return std::make_unique<EveryNth>(parameter<std::int64_t>(given, "n"));
  };
  return info;
}

}  // namespace

EVENTSPACE_SCOPE_WRAPPER(every_nth)

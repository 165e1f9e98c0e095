#include <eventspace/event_filter.h>

#include <cstdint>
#include <memory>

// A template for filters of events in shared objects: `every-nth: {n: 10}` lets every tenth event pass.
namespace {

using namespace eventspace;

// Acts on the combined view of the children.
class EveryNth final : public EventFilter {
 public:
  explicit EveryNth(std::int64_t n) : n_(n) {}

  void apply(EventBatch& events) override {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (++seen_ % n_ != 0) events.drop(i);
    }
  }

 private:
  std::int64_t n_;
  std::int64_t seen_{0};
};

EventFilterInfo every_nth() {
  ParameterSpec n{"n", ParameterKind::integer};
  n.required = true;
  n.least = 1;
  n.help = "one event in so many passes";
  return {"every-nth",  // pathmaps may use another name
          "lets every n-th event pass",
          {n},
          [](const Parameters& given) {
            return std::make_unique<EveryNth>(parameter<std::int64_t>(given, "n"));
          }};
}

}  // namespace

EVENTSPACE_EVENT_FILTER(every_nth)

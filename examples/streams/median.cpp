#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/stream_filter.h>

// A filter in a shared object: the median of the numbers that back-ends send, as packets (f64). Each process
// on the way passes on all numbers that it has received, in order; only the front-end computes their median.
namespace {

using namespace eventspace::streams;
using Number = Format<double>;
using Sorted = Format<std::span<const double>>;

class Median final : public Filter {
 public:
  explicit Median(bool is_root) : is_root_(is_root) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    std::vector<double> all;
    for (const Contribution& one : wave.packets) {
      const PacketView view(one.packet);
      if (one.packet.combined) {  // made by this filter in the process below
        const auto sorted = view.array<double>(0);
        all.insert(all.end(), sorted.begin(), sorted.end());
      } else {
        all.push_back(view.number<double>(0));
      }
    }
    std::sort(all.begin(), all.end());
    const int tag = wave.packets.front().packet.tag;
    out.push_back(is_root_ ? Number::make(tag, all[(all.size() - 1) / 2]) : Sorted::make(tag, all));
  }

 private:
  bool is_root_;
};

plugin::Offer my_filters() {
  const FilterInfo median{
      .name = "median",
      .help = "the median of numbers of type f64",
      .parameters = {},
      .keeps_waves = true,  // each wave makes one packet
      .make = [](const eventspace::Parameters&,
                 const FilterPlace& place) { return std::make_unique<Median>(place.is_root); },
  };
  return {.filters = {median}};
}

}  // namespace

EVENTSPACE_STREAM_FILTERS(my_filters)

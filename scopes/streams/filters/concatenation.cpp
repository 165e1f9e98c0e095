#include <fmt/format.h>

#include <utility>

#include "scopes/streams/filters/built_in.h"

namespace eventspace::streams::filters {
namespace {

/// Makes an array of each value, in the order of the wave, which is the order of ranks.
class Concatenation final : public Filter {
 public:
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::vector<PacketView> views;
    for (const Contribution& one : wave.packets) views.emplace_back(one.packet);
    Signature arrays;
    for (const ValueType type : views.front().signature()) arrays.push_back(value_type::array_of(type));
    for (const PacketView& view : views) require(view, arrays);
    PacketWriter writer(arrays, views.size() * wave.packets.front().packet.bytes());
    for (std::size_t at = 0; at < arrays.size(); ++at) {
      arrays[at] == ValueType::texts ? write_texts(writer, views, at) : write_numbers(writer, views, at);
    }
    out.push_back(writer.finish(wave.packets.front().packet.tag));
  }

 private:
  static void require(const PacketView& view, const Signature& arrays) {
    bool fits = view.size() == arrays.size();
    for (std::size_t at = 0; fits && at < arrays.size(); ++at)
      fits = value_type::array_of(view.signature()[at]) == arrays[at];
    if (!fits) {
      throw PacketError(fmt::format("a wave has packets ({}) and others that make ({})",
                                    to_string(view.signature()), to_string(arrays)));
    }
  }

  static void write_numbers(PacketWriter& writer, const std::vector<PacketView>& views, std::size_t at) {
    std::vector<std::byte> all;
    for (const PacketView& view : views) {
      const Bytes raw = view.raw(at);
      all.insert(all.end(), raw.begin(), raw.end());
    }
    writer.raw_array(all);
  }

  static void write_texts(PacketWriter& writer, const std::vector<PacketView>& views, std::size_t at) {
    std::vector<std::string_view> all;
    for (const PacketView& view : views) {
      if (view.signature()[at] == ValueType::text) {
        all.push_back(view.text(at));
      } else {
        for (const std::string_view text : view.texts(at)) all.push_back(text);
      }
    }
    writer.texts(all);
  }
};

}  // namespace

FilterInfo concatenation() {
  return {
      "concat", "an array of each value, in rank order", {}, true, [](const Parameters&, const FilterPlace&) {
        return std::make_unique<Concatenation>();
      }};
}

}  // namespace eventspace::streams::filters

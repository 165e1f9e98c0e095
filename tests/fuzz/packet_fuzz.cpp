// Reads any bytes as the body of a packet, and all of its values.

#include <eventspace/packet.h>

#include "tests/fuzz/fuzz.h"

namespace {

using namespace eventspace::streams;

// Values must be inside the given body, or in the view's own copy, and not longer than the body.
void read_all(const PacketView& view, std::size_t size) {
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (view.signature()[i] == ValueType::texts) {
      std::size_t bytes = 0;
      for (const std::string_view text : view.texts(i)) bytes += text.size();
      if (bytes > size) std::abort();
    } else if (view.raw(i).size() > size) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_all(PacketView(eventspace::fuzz::bytes_of(data, size)), size);
  } catch (const PacketError&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const std::vector<double> values{1, 2, 3};
  const std::vector<std::string_view> texts{"", "a", "a longer text"};
  std::vector<std::string> seeds;
  for (const Packet& packet : {Format<>::make(0), Format<std::int32_t, float>::make(1, 2, 3.0F),
                               Format<std::span<const double>, std::string_view>::make(1, values, "text"),
                               Format<std::vector<std::string_view>, std::uint8_t>::make(1, texts, 3)}) {
    seeds.push_back(text_of(packet.body));
    std::string foreign = seeds.back();
    foreign[1] = static_cast<char>(3 - foreign[1]);
    std::swap(foreign[2], foreign[3]);
    seeds.push_back(foreign);
  }
  return seeds;
}

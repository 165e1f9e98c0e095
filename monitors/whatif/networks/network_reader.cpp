#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <concepts>
#include <fstream>
#include <optional>
#include <unordered_set>
#include <utility>

#include "monitors/text/counted.h"
#include "monitors/whatif/actions/amounts.h"
#include "monitors/whatif/actions/faulty_input.h"
#include "monitors/whatif/networks/network_file.h"
#include "pathmaps/reading/mapping.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::whatif {
namespace {

using reading::Faults;
using reading::Key;
using reading::Mapping;
using reading::Shape;
using reading::Word;

constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

constexpr std::array infinite_keys{Key{"network", true}, Key{"name"}, Key{"stations"}, Key{"local_latency"},
                                   Key{"local_rate"}};
constexpr std::array loggp_keys{
    Key{"network", true}, Key{"name"},          Key{"stations"},      Key{"local_latency"},
    Key{"local_rate"},    Key{"latency", true}, Key{"send_overhead"}, Key{"receive_overhead"},
    Key{"gap"},           Key{"rate"},          Key{"rendezvous"}};
constexpr std::array ethernet_keys{
    Key{"network", true}, Key{"name"},         Key{"stations"},         Key{"local_latency"},
    Key{"local_rate"},    Key{"rate", true},   Key{"slot_bits"},        Key{"gap_bits"},
    Key{"jam_bits"},      Key{"delay_bits"},   Key{"attempts"},         Key{"most_doublings"},
    Key{"least_frame"},   Key{"framing"},      Key{"back_off"},         Key{"segment"},
    Key{"header"},        Key{"acknowledges"}, Key{"hand_over"},        Key{"per_message"},
    Key{"per_receive"},   Key{"per_segment"},  Key{"retransmits_after"}};
constexpr std::array switch_keys{Key{"network", true}, Key{"name"},         Key{"stations"},
                                 Key{"local_latency"}, Key{"local_rate"},   Key{"rate", true},
                                 Key{"latency", true}, Key{"backplane"},    Key{"model"},
                                 Key{"tcp_window"},    Key{"crosstraffic"}, Key{"rendezvous"}};
constexpr std::array tree_keys{Key{"network", true},     Key{"name"},           Key{"stations"},
                               Key{"local_latency"},     Key{"local_rate"},     Key{"rate", true},
                               Key{"latency", true},     Key{"hosts", true},    Key{"switches", true},
                               Key{"uplink_rate", true}, Key{"uplink_latency"}, Key{"model"},
                               Key{"tcp_window"},        Key{"crosstraffic"},   Key{"rendezvous"}};
constexpr std::array fat_tree_keys{Key{"network", true}, Key{"name"},       Key{"stations"},
                                   Key{"local_latency"}, Key{"local_rate"}, Key{"rate", true},
                                   Key{"latency", true}, Key{"down", true}, Key{"up"},
                                   Key{"cables"},        Key{"model"},      Key{"tcp_window"},
                                   Key{"crosstraffic"},  Key{"rendezvous"}};
constexpr std::array platform_keys{Key{"network", true}, Key{"name"},      Key{"stations"},
                                   Key{"file", true},    Key{"model"},     Key{"tcp_window"},
                                   Key{"crosstraffic"},  Key{"rendezvous"}};
constexpr Shape infinite_shape{"an infinite network", infinite_keys};
constexpr Shape loggp_shape{"a LogGP network", loggp_keys};
constexpr Shape ethernet_shape{"an Ethernet", ethernet_keys};
constexpr Shape switch_shape{"a switch", switch_keys};
constexpr Shape tree_shape{"a tree of switches", tree_keys};
constexpr Shape fat_tree_shape{"a fat tree", fat_tree_keys};
constexpr Shape platform_shape{"a platform of SimGrid", platform_keys};
constexpr std::array kinds{std::pair<std::string_view, const Shape*>{"infinite", &infinite_shape},
                           std::pair<std::string_view, const Shape*>{"loggp", &loggp_shape},
                           std::pair<std::string_view, const Shape*>{"ethernet", &ethernet_shape},
                           std::pair<std::string_view, const Shape*>{"switch", &switch_shape},
                           std::pair<std::string_view, const Shape*>{"tree", &tree_shape},
                           std::pair<std::string_view, const Shape*>{"fat-tree", &fat_tree_shape},
                           std::pair<std::string_view, const Shape*>{"platform", &platform_shape}};
constexpr std::string_view known_kinds = "infinite, loggp, ethernet, switch, tree, fat-tree, platform";
constexpr std::uint64_t max_stations = std::uint64_t{1} << 16;  // for a fat tree

/// Reads the values of one network.
class NetworkReader {
 public:
  /// `folder`: base of relative file names.
  NetworkReader(const Mapping& mapping, Faults& faults, std::filesystem::path folder)
      : mapping_(&mapping), faults_(&faults), folder_(std::move(folder)) {}

  void read_common(Network& network, bool has_local) const {
    if (const auto name = mapping_->word("name")) network.name = name->text;
    if (has_local) {
      read_time("local_latency", network.local_latency);
      read_per_byte("local_rate", network.local_per_byte);
    }
    std::unordered_set<std::string> seen;
    for (const Word& station : mapping_->words("stations")) {
      if (!seen.insert(station.text).second)
        faults_->add(station.place, fmt::format("the station '{}' is listed twice", station.text));
      network.stations.push_back(station.text);
    }
  }

  void read(LogGpNetwork& network) const {
    read_time("latency", network.latency);
    read_time("send_overhead", network.send_overhead);
    read_time("receive_overhead", network.receive_overhead);
    read_time("gap", network.gap);
    read_per_byte("rate", network.per_byte);
    network.rendezvous = read_bytes("rendezvous");
  }

  void read(SwitchedNetwork& network, const Shape& shape) const {
    read_simulator(network);
    if (&shape == &platform_shape) return read_platform(network);
    if (const auto rate = mapping_->word("rate"))
      network.bits_per_second = rate_of(*rate, "rate").value_or(1);
    read_time("latency", network.latency);
    if (&shape == &tree_shape) return read_tree(network);
    if (&shape == &fat_tree_shape) return read_fat_tree(network);
    if (const auto rate = mapping_->word("backplane")) network.backplane = rate_of(*rate, "backplane");
  }

  void read(EthernetNetwork& network) const {
    if (const auto rate = mapping_->word("rate"))
      network.bits_per_second = rate_of(*rate, "rate").value_or(1);
    read_number("slot_bits", network.slot_bits, 1, 1'000'000);
    read_number("gap_bits", network.gap_bits, 0, 1'000'000);
    read_number("jam_bits", network.jam_bits, 0, 1'000'000);
    read_number("delay_bits", network.delay_bits, 0, 1'000'000);
    read_number("attempts", network.attempts, 1, 1000);
    read_number("most_doublings", network.most_doublings, 1, 30);
    read_number("least_frame", network.least_frame, 1, 65535);
    read_number("framing", network.framing, 0, 1000);
    read_number("segment", network.segment, 1, 65535);
    read_number("header", network.header, 0, 1000);
    if (const auto acknowledges = mapping_->boolean("acknowledges")) network.acknowledges = *acknowledges;
    read_time("hand_over", network.hand_over);
    read_time("per_message", network.per_message);
    read_time("per_receive", network.per_receive);
    read_time("per_segment", network.per_segment);
    read_time("retransmits_after", network.retransmits_after);
    constexpr std::array<std::pair<std::string_view, EthernetNetwork::BackOff>, 2> policies{
        {{"exponential", EthernetNetwork::BackOff::exponential}, {"ideal", EthernetNetwork::BackOff::ideal}}};
    if (const auto policy = mapping_->choice("back_off", policies)) network.back_off = *policy;
    check(network);
  }

 private:
  // A frame must last longer than the round trip of a signal, or a collision would go undetected.
  void check(const EthernetNetwork& network) const {
    if (network.slot_bits < 2 * network.delay_bits)
      faults_->add(mapping_->place("slot_bits"),
                   fmt::format("slot_bits is {}; it must be at least twice delay_bits, which is {}",
                               network.slot_bits, network.delay_bits));
    if (network.least_frame * 8 < network.slot_bits)
      faults_->add(mapping_->place("least_frame"),
                   fmt::format("least_frame has {} bits; it must be at least a slot, which has {}",
                               network.least_frame * 8, network.slot_bits));
  }

  void read_simulator(SwitchedNetwork& network) const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> models{
        {{"CM02", "CM02"}, {"LV08", "LV08"}, {"SMPI", "SMPI"}, {"IB", "IB"}}};
    if (const auto model = mapping_->choice("model", models)) network.model = *model;
    network.tcp_window = read_bytes("tcp_window").value_or(network.tcp_window);
    if (const auto crosstraffic = mapping_->boolean("crosstraffic")) network.crosstraffic = *crosstraffic;
    network.rendezvous = read_bytes("rendezvous").value_or(network.rendezvous);
  }

  void read_platform(SwitchedNetwork& network) const {
    network.shape = SwitchedNetwork::Shape::platform;
    if (const auto file = mapping_->word("file")) network.platform = (folder_ / file->text).string();
  }

  void read_tree(SwitchedNetwork& network) const {
    network.shape = SwitchedNetwork::Shape::tree;
    read_number("hosts", network.hosts, 1, 1024);
    read_number("switches", network.switches, 1, 256);
    if (const auto rate = mapping_->word("uplink_rate"))
      network.uplink_bits_per_second = rate_of(*rate, "uplink_rate").value_or(1);
    network.uplink_latency = network.latency;
    read_time("uplink_latency", network.uplink_latency);
  }

  void read_fat_tree(SwitchedNetwork& network) const {
    network.shape = SwitchedNetwork::Shape::fat_tree;
    network.down = read_levels("down");
    network.up = read_levels("up");
    network.cables = read_levels("cables");
    for (const auto& [key, levels] : {std::pair("up", &network.up), std::pair("cables", &network.cables)}) {
      if (levels->empty()) levels->resize(network.down.size(), 1);
      if (levels->size() != network.down.size())
        faults_->add(mapping_->place(key), fmt::format("{} has {} levels, and down has {}", key,
                                                       levels->size(), network.down.size()));
    }
    std::uint64_t count = 1;
    for (const std::uint32_t level : network.down) count = std::min(count * level, max_stations + 1);
    if (network.down.empty() || count > max_stations)
      faults_->add(mapping_->place("down"),
                   "the product of its numbers is the number of stations; expected 1 to 65536");
  }

  [[nodiscard]] std::vector<std::uint32_t> read_levels(std::string_view key) const {
    std::vector<std::uint32_t> levels;
    for (const Word& word : mapping_->words(key)) {
      const auto number = number_in<std::uint64_t>(word.text);
      if (!number || *number < 1 || *number > 65536)
        expected(word, key, "numbers from 1 to 65536, one for each level");
      levels.push_back(static_cast<std::uint32_t>(number.value_or(1)));
    }
    return levels;
  }

  [[nodiscard]] std::optional<std::uint64_t> read_bytes(std::string_view key) const {
    const auto word = mapping_->word(key);
    if (!word) return std::nullopt;
    const auto bytes = bytes_from(word->text);
    if (!bytes) expected(*word, key, "a number of bytes, such as 64KiB");
    return bytes;
  }

  void expected(const Word& word, std::string_view key, std::string_view what) const {
    faults_->add(word.place, fmt::format("found '{}' for {}; expected {}", word.text, key, what));
  }
  void read_time(std::string_view key, Picoseconds& value) const {
    const auto word = mapping_->word(key);
    if (!word) return;
    const auto time = time_from(word->text);
    if (!time) return expected(*word, key, "a duration that is not negative, such as 5.2us");
    value = *time;
  }
  [[nodiscard]] std::optional<double> rate_of(const Word& word, std::string_view key) const {
    const auto rate = rate_from(word.text);
    if (!rate) expected(word, key, "a rate of at least 1b/s, such as 10Mb/s or 125MB/s");
    return rate;
  }
  void read_per_byte(std::string_view key, double& value) const {
    const auto word = mapping_->word(key);
    if (!word) return;
    if (const auto rate = rate_of(*word, key)) value = 8e12 / *rate;
  }
  template <std::unsigned_integral T>
  void read_number(std::string_view key, T& value, std::int64_t least, std::int64_t most) const {
    if (const auto number = mapping_->integer(key, {least, most})) value = static_cast<T>(*number);
  }

  const Mapping* mapping_;
  Faults* faults_;
  std::filesystem::path folder_;
};

// A shape with a fixed number of stations names them, so that placements can be checked.
void name_stations(Network& network) {
  const auto* const of = std::get_if<SwitchedNetwork>(&network.kind);
  if (of == nullptr || !network.stations.empty()) return;
  std::uint64_t count = std::uint64_t{of->hosts} * of->switches;
  if (of->shape == SwitchedNetwork::Shape::fat_tree) {
    count = 1;
    for (const std::uint32_t level : of->down) count = std::min(count * level, max_stations);
  }
  for (std::uint64_t i = 0; i < count; ++i) network.stations.push_back(fmt::format("n{}", i));
}

// The shape that the text describes, by its first key.
const Shape* shape_of(const reading::Value& root, Faults& faults) {
  const reading::Value* const kind = root.find("network");
  if (root.kind != reading::Value::Kind::mapping || kind == nullptr) {
    faults.add(root.place, fmt::format("a network begins with 'network: KIND'; known: {}", known_kinds));
    return nullptr;
  }
  for (const auto& [name, shape] : kinds) {
    if (kind->text == name) return shape;
  }
  faults.add(kind->place, fmt::format("unknown network {}; known: {}", describe(*kind), known_kinds));
  return nullptr;
}

std::optional<Network> read(const reading::Value& root, Faults& faults, const std::filesystem::path& folder) {
  const Shape* const shape = shape_of(root, faults);
  if (shape == nullptr) return std::nullopt;
  const Mapping mapping(&root, *shape, faults);
  const NetworkReader reader(mapping, faults, folder);
  Network network;
  reader.read_common(network, shape != &platform_shape);
  if (shape == &loggp_shape) {
    reader.read(network.kind.emplace<LogGpNetwork>());
  } else if (shape == &ethernet_shape) {
    reader.read(network.kind.emplace<EthernetNetwork>());
  } else if (shape != &infinite_shape) {
    reader.read(network.kind.emplace<SwitchedNetwork>(), *shape);
    if (!faults.any()) name_stations(network);
  }
  return network;
}

bool is_file(const std::string& named) {
  return named.ends_with(".yaml") || named.ends_with(".yml") || named.find('/') != std::string::npos;
}

}  // namespace

Network parse_network(std::string_view yaml, const std::string& source) {
  Faults faults;
  reading::Document document;
  const reading::Value* const root = document.parse(yaml, faults.add_file(source), faults);
  std::optional<Network> network;
  if (root != nullptr) network = read(*root, faults, std::filesystem::path(source).parent_path());
  if (network && !faults.any()) {
    if (network->name.empty()) network->name = std::filesystem::path(source).stem().string();
    return *std::move(network);
  }
  std::vector<std::string> lines;
  for (const Fault& fault : faults.report()) lines.push_back(to_string(fault));
  throw FaultyInput(fmt::format("{} in network {}", counted(faults.count(), "fault"), source),
                    std::move(lines));
}

Network read_network(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw EnvironmentError(fmt::format("cannot read the network {}", file.string()));
  std::string text(max_file_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || stream.gcount() == 0)
    throw EnvironmentError(fmt::format("cannot read the network {}, or it is empty", file.string()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_file_bytes)
    throw ConfigurationError(
        fmt::format("{}: the network is larger than {} bytes", file.string(), max_file_bytes));
  return parse_network(text, file.string());
}

Network find_network(const std::string& named) {
  if (is_file(named)) return read_network(named);
  if (auto shipped = shipped_network(named)) return *std::move(shipped);
  throw ConfigurationError(
      fmt::format("unknown network '{}'; known: {}, fitted, or a file whose name ends in .yaml",
                  escaped(named), fmt::join(shipped_network_names(), ", ")));
}

}  // namespace eventspace::whatif

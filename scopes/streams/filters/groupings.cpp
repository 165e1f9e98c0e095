#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <eventspace/packet.h>
#include "paths/views/histogram.h"
#include "scopes/streams/filters/built_in.h"
#include "scopes/streams/filters/columns.h"

namespace eventspace::streams::filters {
namespace {

using Key = std::variant<std::uint64_t, std::string>;

/// The numbers or texts of a value that is one u64 or text, or an array of them.
std::vector<Key> keys_of(const PacketView& view, std::size_t at) {
  std::vector<Key> keys;
  if (at < view.size() && view.signature()[at] == ValueType::u64) {
    keys.emplace_back(view.number<std::uint64_t>(at));
  } else if (at < view.size() && view.signature()[at] == ValueType::text) {
    keys.emplace_back(std::string(view.text(at)));
  } else if (at < view.size() && view.signature()[at] == ValueType::texts) {
    for (const std::string_view text : view.texts(at)) keys.emplace_back(std::string(text));
  } else {
    for (const std::uint64_t number : view.array<std::uint64_t>(at)) keys.emplace_back(number);
  }
  return keys;
}

ValueType type_of(const Key& key) {
  return std::holds_alternative<std::uint64_t>(key) ? ValueType::u64s : ValueType::texts;
}

/// Writes keys of one type.
template <class Keys>
void write_keys(PacketWriter& writer, const Keys& keys, ValueType type) {
  if (type == ValueType::u64s) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(keys.size());
    for (const Key& key : keys) numbers.push_back(std::get<std::uint64_t>(key));
    return writer.array(std::span<const std::uint64_t>(numbers));
  }
  std::vector<std::string_view> texts;
  texts.reserve(keys.size());
  for (const Key& key : keys) texts.push_back(std::get<std::string>(key));
  writer.texts(texts);
}

void require_one_type(ValueType first, const Key& key) {
  if (type_of(key) != first) throw PacketError("a wave has packets with u64 and others with text");
}

/// The end-points of each child, for filters whose results name ranks.
class WithRanks : public Filter {
 public:
  void join(Child child, const RankSet& ranks) override { ranks_[child] = ranks; }

 protected:
  [[nodiscard]] const RankSet& ranks_of(Child child) { return ranks_[child]; }

 private:
  std::map<Child, RankSet> ranks_;
};

/// Groups end-points by the value that they sent. Each class has a key, its least rank, and its members.
class Classes final : public WithRanks {
 public:
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    std::map<Key, RankSet> classes;
    for (const Contribution& one : wave.packets)
      one.packet.combined ? add_classes(classes, one) : add_one(classes, one);
    if (classes.empty()) return;
    const ValueType type = type_of(classes.begin()->first);
    std::vector<Key> keys;
    std::vector<std::uint32_t> representatives;
    std::vector<std::string> members;
    for (const auto& [key, ranks] : classes) {
      require_one_type(type, key);
      keys.push_back(key);
      representatives.push_back(ranks.at(0).value_or(0));
      members.push_back(ranks.to_text());
    }
    PacketWriter writer(Signature{type, ValueType::u32s, ValueType::texts});
    write_keys(writer, keys, type);
    writer.array(std::span<const std::uint32_t>(representatives));
    writer.texts(std::vector<std::string_view>(members.begin(), members.end()));
    out.push_back(writer.finish(wave.packets.front().packet.tag));
  }

 private:
  void add_one(std::map<Key, RankSet>& classes, const Contribution& one) {
    const PacketView view(one.packet);
    const ValueType type = view.size() == 1 ? view.signature()[0] : ValueType::i8;
    if (type != ValueType::u64 && type != ValueType::text) {
      throw PacketError(fmt::format("classes are formed of packets (u64) or (text), not ({})",
                                    to_string(view.signature())));
    }
    RankSet& members = classes[keys_of(view, 0).front()];
    members = members | ranks_of(one.child);
  }

  static void add_classes(std::map<Key, RankSet>& classes, const Contribution& one) {
    const PacketView view(one.packet);
    const std::vector<Key> keys = keys_of(view, 0);
    const auto texts = view.texts(2);
    if (keys.size() != texts.size()) throw PacketError("classes without members");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto ranks = RankSet::parse(texts[i]);
      if (!ranks) throw PacketError(fmt::format("'{}' is not a set of ranks", texts[i]));
      RankSet& members = classes[keys[i]];
      members = members | *ranks;
    }
  }
};

class Union final : public Filter {
 public:
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::set<Key> all;
    ValueType type = ValueType::u64s;
    for (const Contribution& one : wave.packets) {
      const PacketView view(one.packet);
      for (Key& key : keys_of(view, 0)) {
        if (all.empty()) type = type_of(key);
        require_one_type(type, key);
        all.insert(std::move(key));
      }
      if (all.empty()) type = value_type::array_of(view.signature()[0]);
    }
    PacketWriter writer(std::span(&type, 1));
    write_keys(writer, all, type);
    out.push_back(writer.finish(wave.packets.front().packet.tag));
  }
};

/// The numbers of the first value of a packet.
std::vector<double> numbers_of(const PacketView& view) {
  if (view.size() != 1)
    throw PacketError(
        fmt::format("a packet of one value is expected, not ({})", to_string(view.signature())));
  return read_columns(view, 1).front().over(1);
}

class Distribution final : public Filter {
 public:
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    Histogram all;
    for (const Contribution& one : wave.packets) add(all, one.packet);
    std::vector<std::int32_t> keys;
    std::vector<std::uint64_t> counts;
    for (const Histogram::Bucket& bucket : all.buckets()) {
      keys.push_back(bucket.key);
      counts.push_back(bucket.count);
    }
    using Result = Format<std::span<const std::int32_t>, std::span<const std::uint64_t>>;
    out.push_back(Result::make(wave.packets.front().packet.tag, keys, counts));
  }

 private:
  static void add(Histogram& all, const Packet& packet) {
    const PacketView view(packet);
    if (!packet.combined) {
      for (const double number : numbers_of(view)) {
        if (!std::isfinite(number))
          throw PacketError("a histogram has no place for a number that is not finite");
        all.add(number);
      }
      return;
    }
    const auto keys = view.array<std::int32_t>(0);
    const auto counts = view.array<std::uint64_t>(1);
    if (keys.size() != counts.size()) throw PacketError("a histogram without counts");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] > Histogram::greatest_key || keys[i] < -Histogram::greatest_key)
        throw PacketError(fmt::format("a histogram has no bucket {}", keys[i]));
      all.add(Histogram::Bucket{keys[i], counts[i]});
    }
  }
};

/// Keeps the greatest numbers and the ranks that sent them.
class TopK final : public WithRanks {
 public:
  explicit TopK(std::size_t k) : k_(k) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::vector<std::pair<double, std::uint32_t>> all;
    for (const Contribution& one : wave.packets) add(all, one);
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    all.resize(std::min(all.size(), k_));
    std::vector<double> numbers;
    std::vector<std::uint32_t> ranks;
    for (const auto& [number, rank] : all) {
      numbers.push_back(number);
      ranks.push_back(rank);
    }
    using Result = Format<std::span<const double>, std::span<const std::uint32_t>>;
    out.push_back(Result::make(wave.packets.front().packet.tag, numbers, ranks));
  }

 private:
  void add(std::vector<std::pair<double, std::uint32_t>>& all, const Contribution& one) {
    const PacketView view(one.packet);
    if (one.packet.combined) {
      const auto numbers = view.array<double>(0);
      const auto ranks = view.array<std::uint32_t>(1);
      if (numbers.size() != ranks.size()) throw PacketError("numbers without ranks");
      for (std::size_t i = 0; i < numbers.size(); ++i) all.emplace_back(numbers[i], ranks[i]);
      return;
    }
    const std::uint32_t rank = ranks_of(one.child).at(0).value_or(0);
    for (const double number : numbers_of(view)) {
      if (std::isnan(number)) throw PacketError("NaN cannot be ordered");
      all.emplace_back(number, rank);
    }
  }

  std::size_t k_;
};

}  // namespace

FilterInfo equivalence_classes() {
  return {"classes",
          "back-ends that sent the same u64 or text: the keys, least ranks and members of the classes",
          {},
          true,
          [](const Parameters&, const FilterPlace&) { return std::make_unique<Classes>(); }};
}
FilterInfo set_union() {
  return {
      "union", "all different u64 or texts, in order", {}, true, [](const Parameters&, const FilterPlace&) {
        return std::make_unique<Union>();
      }};
}
FilterInfo histogram() {
  return {"histogram",
          "the buckets and counts of a Histogram (paths/views/histogram.h)",
          {},
          true,
          [](const Parameters&, const FilterPlace&) { return std::make_unique<Distribution>(); }};
}
FilterInfo top_k() {
  const ParameterSpec k{.name = "k",
                        .kind = ParameterKind::integer,
                        .default_value = std::int64_t{10},
                        .least = 1,
                        .most = 1e6,
                        .help = "how many numbers to keep"};
  return {"top",
          "the greatest numbers, and the ranks that sent them",
          {k},
          true,
          [](const Parameters& given, const FilterPlace&) {
            return std::make_unique<TopK>(static_cast<std::size_t>(parameter<std::int64_t>(given, "k")));
          }};
}

}  // namespace eventspace::streams::filters

#include <fmt/format.h>

#include <optional>
#include <utility>

#include <eventspace/packet.h>
#include "scopes/streams/filters/built_in.h"
#include "scopes/streams/filters/columns.h"

namespace eventspace::streams::filters {
namespace {

/// Calculates sums, least and greatest numbers.
class Reduction final : public Filter {
 public:
  explicit Reduction(Combine how) : how_(how) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::optional<Columns> total;
    for (const Contribution& one : wave.packets) {
      const PacketView view(one.packet);
      if (total) {
        combine(*total, view, view.size(), how_);
      } else {
        total = read_columns(view, view.size());
      }
    }
    Signature signature;
    for (const Column& column : *total) signature.push_back(type_of(column));
    PacketWriter writer(signature, wave.packets.front().packet.bytes());
    for (const Column& column : *total) write_column(writer, column, type_of(column));
    out.push_back(writer.finish(wave.packets.front().packet.tag));
  }

 private:
  // Sums have the widest type, so that they do not depend on the level at which they get large.
  [[nodiscard]] ValueType type_of(const Column& column) const {
    return how_ == Combine::sum ? column.wide_type() : column.type;
  }

  Combine how_;
};

/// Calculates means. On the way up a packet has the sums, and the number of packets in them.
class Mean final : public Filter {
 public:
  explicit Mean(FilterPlace place) : place_(std::move(place)) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::optional<Columns> total;
    std::uint64_t count = 0;
    for (const Contribution& one : wave.packets) {
      const PacketView view(one.packet);
      const std::size_t values = one.packet.combined ? view.size() - 1 : view.size();
      count += one.packet.combined ? view.number<std::uint64_t>(values) : 1;
      if (total) {
        combine(*total, view, values, Combine::sum);
      } else {
        total = read_columns(view, values);
      }
    }
    if (count == 0) throw PacketError("a mean of no packets");
    out.push_back(place_.is_root ? means(*total, count) : sums(*total, count));
    out.back().tag = wave.packets.front().packet.tag;
  }

 private:
  static Packet sums(const Columns& total, std::uint64_t count) {
    Signature signature;
    for (const Column& column : total) signature.push_back(column.wide_type());
    signature.push_back(ValueType::u64);
    PacketWriter writer(signature);
    for (const Column& column : total) write_column(writer, column, column.wide_type());
    writer.number(count);
    return writer.finish();
  }

  static Packet means(const Columns& total, std::uint64_t count) {
    Signature signature;
    for (const Column& column : total)
      signature.push_back(value_type::is_array(column.type) ? ValueType::f64s : ValueType::f64);
    PacketWriter writer(signature);
    for (std::size_t at = 0; at < total.size(); ++at)
      write_column(writer, {total[at].type, total[at].over(count)}, signature[at]);
    return writer.finish();
  }

  FilterPlace place_;
};

/// Counts the back-ends that have sent a packet.
class Count final : public Filter {
 public:
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    std::uint64_t count = 0;
    for (const Contribution& one : wave.packets)
      count += one.packet.combined ? PacketView(one.packet).number<std::uint64_t>(0) : 1;
    out.push_back(Format<std::uint64_t>::make(wave.packets.front().packet.tag, count));
  }
};

FilterInfo reduction(std::string name, std::string help, Combine how) {
  return {std::move(name), std::move(help), {}, true, [how](const Parameters&, const FilterPlace&) {
            return std::make_unique<Reduction>(how);
          }};
}

}  // namespace

FilterInfo minimum() { return reduction("min", "the least of each number", Combine::least); }
FilterInfo maximum() { return reduction("max", "the greatest of each number", Combine::greatest); }
FilterInfo sum() { return reduction("sum", "the sum of each number, as i64, u64 or f64", Combine::sum); }
FilterInfo mean() {
  return {"mean",
          "the mean of each number over all back-ends, as f64",
          {},
          true,
          [](const Parameters&, const FilterPlace& place) { return std::make_unique<Mean>(place); }};
}
FilterInfo count() {
  return {"count", "the number of packets, as u64", {}, true, [](const Parameters&, const FilterPlace&) {
            return std::make_unique<Count>();
          }};
}

}  // namespace eventspace::streams::filters

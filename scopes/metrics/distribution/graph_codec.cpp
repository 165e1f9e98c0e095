#include "scopes/metrics/distribution/graph_codec.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "paths/parameters/glob.h"
#include "paths/wire/msgpack_body.h"
#include "scopes/metrics/distribution/node_check.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "tuplespace/system/error.h"

namespace eventspace::metrics {
namespace {

using msgpack_body::Body;
using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;
using Kind = TypedNode::Kind;

constexpr std::uint32_t no_node = 0xffffffff;

// --- encoding ------------------------------------------------------------------------------------

/// The nodes of all expressions of a part. Each appears once, after its operands.
class NodeList {
 public:
  std::uint32_t add(const Typed& node) {
    if (!node) return no_node;
    const auto known = numbers_.find(node.get());
    if (known != numbers_.end()) return known->second;
    for (const Typed& operand : node->operands) (void)add(operand);
    (void)add(node->condition);
    nodes_.push_back(node.get());
    return numbers_[node.get()] = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  [[nodiscard]] const std::vector<const TypedNode*>& nodes() const noexcept { return nodes_; }

 private:
  std::vector<const TypedNode*> nodes_;
  std::unordered_map<const TypedNode*, std::uint32_t> numbers_;
};

void pack_types(Packer& packer, const std::vector<Parameter>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 2));
  for (const Parameter& each : all) {
    packer.pack(static_cast<std::uint8_t>(each.type.base));
    packer.pack(each.type.dimensions);
  }
}

template <class Number>
void pack_numbers(Packer& packer, const std::vector<Number>& numbers) {
  packer.pack_array(static_cast<std::uint32_t>(numbers.size()));
  for (const Number number : numbers) packer.pack(number);
}

void pack_counters(Packer& packer, const std::vector<Counter>& counters) {
  packer.pack_array(static_cast<std::uint32_t>(counters.size()));
  for (const Counter& counter : counters) {
    packer.pack_array(5);
    packer.pack(std::string(built_in_metrics()[counter.built_in].name));
    packer.pack(counter.quantity);
    packer.pack(counter.condition);
    packer.pack(counter.by_partner);
    packer.pack(counter.by_region);
  }
}

void pack_node(Packer& packer, const TypedNode& node, NodeList& list) {
  packer.pack_array(13);
  packer.pack(static_cast<std::uint8_t>(node.kind));
  packer.pack(static_cast<std::uint8_t>(node.type.base));
  packer.pack(node.type.dimensions);
  packer.pack(static_cast<std::uint8_t>(node.op));
  packer.pack(static_cast<std::uint8_t>(node.aggregate));
  packer.pack(static_cast<std::uint8_t>(node.attribute));
  packer.pack(static_cast<std::uint8_t>(node.moment));
  packer.pack(node.shift);
  packer.pack(node.index);
  msgpack_body::pack_real(packer, node.value);
  packer.pack(node.text);
  std::vector<std::uint32_t> operands;
  for (const Typed& operand : node.operands) operands.push_back(list.add(operand));
  operands.push_back(list.add(node.condition));
  pack_numbers(packer, operands);
  pack_numbers(packer, node.bound);
}

void pack_parts(Packer& packer, const std::vector<Part>& parts, NodeList& list) {
  packer.pack_array(static_cast<std::uint32_t>(parts.size() * 4));
  for (const Part& part : parts) {
    packer.pack(list.add(part.value));
    packer.pack(part.object);
    packer.pack(part.virtual_time);
    packer.pack(part.times);
  }
}

void pack_samplers(Packer& packer, const std::vector<Sampler>& samplers, NodeList& list) {
  packer.pack_array(static_cast<std::uint32_t>(samplers.size() * 3));
  for (const Sampler& sampler : samplers) {
    packer.pack(sampler.probe);
    packer.pack(static_cast<std::uint8_t>(sampler.object));
    packer.pack(list.add(sampler.value));
  }
}

void pack_pairs(Packer& packer, const ObjectPatterns& objects,
                const std::map<std::uint32_t, std::uint32_t>& given) {
  packer.pack_array(static_cast<std::uint32_t>(objects.size() * 2));
  for (const auto& [parameter, pattern] : objects) {
    packer.pack(parameter);
    packer.pack(pattern);
  }
  packer.pack_array(static_cast<std::uint32_t>(given.size() * 2));
  for (const auto& [parameter, variable] : given) {
    packer.pack(parameter);
    packer.pack(variable);
  }
}

// --- decoding ------------------------------------------------------------------------------------

template <class Enum>
Enum in_range(std::uint8_t number, Enum last) {
  if (number > static_cast<std::uint8_t>(last)) throw BodyError();
  return static_cast<Enum>(number);
}

void require(bool holds) {
  if (!holds) throw BodyError();
}

class Reading {
 public:
  explicit Reading(Entries& entries) : entries_(entries) {}

  ServerPart take() {
    Definition& definition = part_.definition;
    read_types(definition.parameters);
    read_types(definition.variables);
    require(!definition.variables.empty());
    part_.start_ns = entries_.integer<std::int64_t>();
    part_.cut = entries_.enumeration(CutRegions::partly, CutRegions::left_out);
    read_counters();
    read_nodes();
    read_parts(definition.streams, is_sound_stream);
    read_parts(definition.collections, is_sound_collection);
    part_.counters = read_numbers(definition.counters.size());
    part_.samplers = read_numbers(definition.samplers.size());
    read_objects();
    entries_.expect_end();
    return std::move(part_);
  }

 private:
  void read_types(std::vector<Parameter>& all) {
    Entries list = entries_.array();
    require(list.left() / 2 <= ServerPartBounds::lists);
    while (list.more()) {
      const Base base = in_range(list.integer<std::uint8_t>(), Base::time_interval);
      const auto dimensions = list.integer<std::uint8_t>();
      all.push_back({"", {base, dimensions}});
    }
  }

  void read_counters() {
    Entries list = entries_.array();
    require(list.left() <= ServerPartBounds::lists);
    while (list.more()) {
      Entries entry = list.array();
      const auto metric = built_in_metric_named(entry.text());
      require(metric.has_value() && built_in_metrics()[*metric].is_counted());
      Counter counter{*metric, std::string(entry.text()), std::string(entry.text())};
      counter.by_partner = entry.boolean();
      counter.by_region = entry.boolean();
      const bool needs_quantity = built_in_metrics()[*metric].source == Source::quantity;
      require(needs_quantity == !counter.quantity.empty());
      part_.definition.counters.push_back(std::move(counter));
      entry.expect_end();
    }
  }

  /// Reads the samplers first: their values are among the nodes, and the nodes that use them follow.
  void read_nodes() {
    Entries samplers = entries_.array();
    require(samplers.left() / 3 <= ServerPartBounds::lists);
    std::vector<std::uint32_t> values;
    while (samplers.more()) {
      Sampler sampler{std::string(samplers.text()), Base::process, nullptr, 0};
      sampler.object = in_range(samplers.integer<std::uint8_t>(), Base::time_interval);
      values.push_back(samplers.integer<std::uint32_t>());
      part_.definition.samplers.push_back(std::move(sampler));
    }
    Entries list = entries_.array();
    require(list.left() <= ServerPartBounds::nodes);
    while (list.more()) {
      complete_samplers(values);
      nodes_.push_back(read_node(list.array()));
    }
    complete_samplers(values);
    require(std::ranges::all_of(part_.definition.samplers, [this](const Sampler& sampler) {
      return is_sound_sampler(sampler, part_.definition);
    }));
  }

  void complete_samplers(const std::vector<std::uint32_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] + std::size_t{1} == nodes_.size()) part_.definition.samplers[i].value = nodes_[values[i]];
    }
  }

  Typed read_node(Entries entry) {
    TypedNode node;
    node.kind = in_range(entry.integer<std::uint8_t>(), Kind::received);
    node.type.base = in_range(entry.integer<std::uint8_t>(), Base::time_interval);
    node.type.dimensions = entry.integer<std::uint8_t>();
    node.op = in_range(entry.integer<std::uint8_t>(), Operator::negative);
    node.aggregate = in_range(entry.integer<std::uint8_t>(), Aggregate::percentile);
    node.attribute = in_range(entry.integer<std::uint8_t>(), Attribute::length);
    node.moment = in_range(entry.integer<std::uint8_t>(), Moment::last);
    node.shift = entry.integer<std::int32_t>();
    node.index = entry.integer<std::uint32_t>();
    node.value = entry.real();
    node.text = entry.text();
    read_operands(node, entry.array());
    Entries bound = entry.array();
    require(bound.left() <= ServerPartBounds::lists);
    while (bound.more()) node.bound.push_back(bound.integer<std::uint32_t>());
    entry.expect_end();
    require(is_sound(node, part_.definition));
    Typed made = table_.make(std::move(node));
    require(made->depth <= ServerPartBounds::depth);
    return made;
  }

  /// The last number is the condition.
  void read_operands(TypedNode& node, Entries list) {
    require(list.more() && list.left() <= ServerPartBounds::lists);
    while (list.left() > 1) node.operands.push_back(node_at(list.integer<std::uint32_t>()));
    const auto condition = list.integer<std::uint32_t>();
    if (condition != no_node) node.condition = node_at(condition);
  }

  const Typed& node_at(std::uint32_t number) const {
    require(number < nodes_.size());
    return nodes_[number];
  }

  void read_parts(std::vector<Part>& parts, bool (*is_sound_part)(const Part&, const Definition&)) {
    Entries list = entries_.array();
    require(list.left() / 4 <= ServerPartBounds::lists);
    while (list.more()) {
      Part part;
      part.value = node_at(list.integer<std::uint32_t>());
      part.object = list.integer<std::uint32_t>();
      part.virtual_time = list.integer<std::uint32_t>();
      part.times = list.integer<std::int8_t>();
      require(is_sound_part(part, part_.definition));
      parts.push_back(std::move(part));
    }
  }

  std::vector<std::uint32_t> read_numbers(std::size_t end) {
    Entries list = entries_.array();
    require(list.left() <= ServerPartBounds::lists);
    std::vector<std::uint32_t> numbers;
    while (list.more()) {
      numbers.push_back(list.integer<std::uint32_t>());
      require(numbers.back() < end);
    }
    return numbers;
  }

  void read_objects() {
    const std::size_t parameters = part_.definition.parameters.size();
    Entries patterns = entries_.array();
    while (patterns.more()) {
      const auto parameter = patterns.integer<std::uint32_t>();
      std::string pattern(patterns.text());
      require(parameter < parameters && glob_fault(pattern).empty());
      part_.objects[parameter] = std::move(pattern);
    }
    Entries given = entries_.array();
    while (given.more()) {
      const auto parameter = given.integer<std::uint32_t>();
      const auto variable = given.integer<std::uint32_t>();
      require(parameter < parameters && variable < part_.definition.variables.size());
      part_.definition.given[parameter] = variable;
    }
  }

  Entries& entries_;
  ServerPart part_;
  NodeTable table_;
  std::vector<Typed> nodes_;
};

[[noreturn]] void refuse() {
  throw ConfigurationError(
      "the part of a metric that a client sent is malformed, or larger than a server takes");
}

}  // namespace

std::vector<std::byte> encode(const ServerPart& part) {
  const Definition& definition = part.definition;
  NodeList list;
  for (const Sampler& sampler : definition.samplers) (void)list.add(sampler.value);
  for (const Part& stream : definition.streams) (void)list.add(stream.value);
  for (const Part& collection : definition.collections) (void)list.add(collection.value);
  std::vector<std::byte> bytes;
  msgpack_body::pack_into(bytes, [&](Packer& packer) {
    packer.pack_array(14);
    packer.pack(graph_version);
    pack_types(packer, definition.parameters);
    pack_types(packer, definition.variables);
    packer.pack(part.start_ns);
    packer.pack(static_cast<std::uint8_t>(part.cut));
    pack_counters(packer, definition.counters);
    pack_samplers(packer, definition.samplers, list);
    packer.pack_array(static_cast<std::uint32_t>(list.nodes().size()));
    for (const TypedNode* const node : list.nodes()) pack_node(packer, *node, list);
    pack_parts(packer, definition.streams, list);
    pack_parts(packer, definition.collections, list);
    pack_numbers(packer, part.counters);
    pack_numbers(packer, part.samplers);
    pack_pairs(packer, part.objects, definition.given);
  });
  return bytes;
}

ServerPart decode_server_part(Bytes bytes) {
  try {
    Body body(bytes);
    Entries entries(body);
    const auto version = entries.integer<std::uint8_t>();
    if (version != graph_version)
      throw ConfigurationError("a client sent a part of a metric in another version than this server's");
    ServerPart part = Reading(entries).take();
    body.expect_end();
    return part;
  } catch (const BodyError&) {
    refuse();
  }
}

}  // namespace eventspace::metrics

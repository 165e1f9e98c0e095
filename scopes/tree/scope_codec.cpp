#include "scopes/tree/scope_codec.h"

#include <cstring>
#include <limits>

#include "paths/wire/msgpack_body.h"
#include "scopes/pulls/view_codec.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;

constexpr std::uint8_t spec_version = 9;

struct PackValue {
  Packer& packer;
  void operator()(std::chrono::nanoseconds value) const { packer.pack(value.count()); }
  void operator()(double value) const { msgpack_body::pack_real(packer, value); }
  template <class T>
  void operator()(const T& value) const {
    packer.pack(value);
  }
};

void pack_parameters(Packer& packer, const Parameters& parameters) {
  packer.pack_array(static_cast<std::uint32_t>(parameters.size()));
  for (const auto& [name, value] : parameters) {
    packer.pack_array(3);
    packer.pack(name);
    packer.pack(static_cast<std::uint8_t>(value.index()));
    std::visit(PackValue{packer}, value);
  }
}

ParameterValue read_value(Entries& entries) {
  switch (entries.enumeration(ParameterKind::boolean, ParameterKind::texts)) {
    case ParameterKind::boolean:
      return entries.boolean();
    case ParameterKind::integer:
      return entries.integer<std::int64_t>();
    case ParameterKind::real:
      return entries.real();
    case ParameterKind::text:
      return std::string(entries.text());
    case ParameterKind::duration:
      return std::chrono::nanoseconds(entries.integer<std::int64_t>());
    case ParameterKind::texts:
      break;
  }
  constexpr std::size_t max_texts = 256;  // each may be compared with each event
  std::vector<std::string> texts;
  Entries list = entries.array();
  if (list.left() > max_texts) throw BodyError();
  while (list.more()) texts.emplace_back(list.text());
  return texts;
}

Parameters read_parameters(Entries list) {
  Parameters parameters;
  while (list.more()) {
    Entries entry = list.array();
    std::string name(entry.text());
    parameters.insert_or_assign(std::move(name), read_value(entry));
    entry.expect_end();
  }
  return parameters;
}

// One little-endian block: 100 000 sources would be slow to parse one by one.
void pack_sources(Packer& packer, const std::vector<SourceRef>& sources) {
  std::vector<std::byte> block;
  block.reserve(sources.size() * 8);
  for (const SourceRef& source : sources) {
    for (const std::uint32_t number : {source.trace, source.process}) {
      for (int shift = 0; shift < 32; shift += 8) block.push_back(static_cast<std::byte>(number >> shift));
    }
  }
  msgpack_body::pack_bytes(packer, block);
}

std::uint32_t read_number(const std::byte* at) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number |= static_cast<std::uint32_t>(at[i]) << (8 * i);
  return number;
}

std::vector<SourceRef> read_sources(Bytes block) {
  if (block.size() % 8 != 0) throw BodyError();
  std::vector<SourceRef> sources(block.size() / 8);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i] = {read_number(block.data() + 8 * i), read_number(block.data() + 8 * i + 4)};
  }
  return sources;
}

// The number of a path, or -1 for none.
void pack_path(Packer& packer, std::optional<std::uint32_t> path) {
  packer.pack(path ? static_cast<std::int64_t>(*path) : std::int64_t{-1});
}

std::optional<std::uint32_t> read_path(Entries& entries) {
  const auto path = entries.integer<std::int64_t>();
  if (path < -1 || path > std::numeric_limits<std::uint32_t>::max()) throw BodyError();
  return path < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(path));
}

void pack_node(Packer& packer, const ScopeNode& node) {
  packer.pack_array(19);
  packer.pack(node.name);
  packer.pack(node.wrapper);
  pack_parameters(packer, node.parameters);
  packer.pack(node.node);
  packer.pack(node.endpoint);
  packer.pack(node.route);
  packer.pack(node.timeout.count());
  packer.pack(node.allowance.count());
  packer.pack(static_cast<std::uint8_t>(node.asking));
  packer.pack(node.threads);
  packer.pack(static_cast<std::uint8_t>(node.when_late));
  packer.pack(node.first_skip.count());
  packer.pack(node.longest_skip.count());
  packer.pack_array(static_cast<std::uint32_t>(node.children.size()));
  for (const ScopeNode& child : node.children) pack_node(packer, child);
  pack_sources(packer, node.sources);
  packer.pack(node.dynamic.first);
  packer.pack(node.dynamic.count);
  pack_path(packer, node.ask_path);
  pack_path(packer, node.answer_path);
}

ScopeNode read_node(Entries entries) {
  ScopeNode node;
  node.name = entries.text();
  node.wrapper = entries.text();
  node.parameters = read_parameters(entries.array());
  node.node = entries.text();
  node.endpoint = entries.text();
  for (Entries route = entries.array(); route.more();) node.route.emplace_back(route.text());
  node.timeout = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  node.allowance = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  node.asking = entries.enumeration(Asking::overlapped, Asking::threads);
  node.threads = entries.integer<std::uint32_t>();
  if (node.threads == 0 || node.threads > max_asking_threads) throw BodyError();
  node.when_late = entries.enumeration(WhenLate::partial, WhenLate::skip);
  node.first_skip = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  node.longest_skip = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  for (Entries children = entries.array(); children.more();)
    node.children.push_back(read_node(children.array()));
  node.sources = read_sources(entries.bytes());
  node.dynamic.first = entries.integer<std::uint32_t>();
  node.dynamic.count = entries.integer<std::uint32_t>();
  node.ask_path = read_path(entries);
  node.answer_path = read_path(entries);
  entries.expect_end();
  return node;
}

ScopeTree read_tree(Bytes spec) {
  msgpack_body::Body whole(spec, 256);
  Entries entries(whole);
  if (entries.integer<std::uint8_t>() != spec_version) throw BodyError();
  ScopeTree tree;
  tree.session = entries.text();
  tree.scope = entries.text();
  tree.fingerprint = entries.integer<std::uint64_t>();
  tree.next = entries.boolean();
  tree.batch = entries.integer<std::uint32_t>();
  tree.most = entries.integer<std::uint64_t>();
  const auto since = entries.integer<std::int64_t>();
  if (since >= 0) tree.since = std::chrono::nanoseconds(since);
  tree.probes = entries.boolean();
  tree.look = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  tree.resume = msgpack_body::read_positions(entries.array());
  tree.root = read_node(entries.array());
  entries.expect_end();
  whole.expect_end();
  return tree;
}

}  // namespace

std::vector<std::byte> encode(const ScopeTree& tree) {
  std::vector<std::byte> spec;
  msgpack_body::pack_into(spec, [&](Packer& packer) {
    packer.pack_array(12);
    packer.pack(spec_version);
    packer.pack(tree.session);
    packer.pack(tree.scope);
    packer.pack(tree.fingerprint);
    packer.pack(tree.next);
    packer.pack(tree.batch);
    packer.pack(tree.most);
    packer.pack(tree.since ? tree.since->count() : std::int64_t{-1});
    packer.pack(tree.probes);
    packer.pack(tree.look.count());
    msgpack_body::pack(packer, tree.resume);
    pack_node(packer, tree.root);
  });
  return spec;
}

ScopeTree decode_scope_tree(Bytes spec) {
  try {
    return read_tree(spec);
  } catch (const BodyError&) {
    throw ConfigurationError("the description of the scope cannot be read");
  }
}

}  // namespace eventspace

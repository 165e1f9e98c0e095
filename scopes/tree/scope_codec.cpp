#include "scopes/tree/scope_codec.h"

#include <eventspace/error.h>
#include "paths/wire/little_endian.h"
#include "scopes/tree/scope_layout.h"

namespace eventspace {

namespace wire {

std::vector<std::byte> SourceBlock::block_of(const std::vector<SourceRef>& sources) {
  std::vector<std::byte> block(bytes_of_source * sources.size());
  std::byte* to = block.data();
  for (const SourceRef& source : sources) {
    little_endian::store(to, source.trace);
    little_endian::store(to + 4, source.process);
    to += bytes_of_source;
  }
  return block;
}

std::vector<SourceRef> SourceBlock::sources_in(Bytes block) {
  std::vector<SourceRef> sources(block.size() / bytes_of_source);
  const std::byte* from = block.data();
  for (SourceRef& source : sources) {
    source = {little_endian::load<std::uint32_t>(from), little_endian::load<std::uint32_t>(from + 4)};
    from += bytes_of_source;
  }
  return sources;
}

}  // namespace wire

std::vector<std::byte> encode(const ScopeTree& tree) { return wire::encoded(tree); }

ScopeTree decode_scope_tree(Bytes spec) {
  constexpr std::size_t max_depth = 256;
  auto tree = wire::decoded<ScopeTree>(spec, nullptr, max_depth);
  if (!tree) throw ConfigurationError("the description of the scope cannot be read");
  return *std::move(tree);
}

}  // namespace eventspace

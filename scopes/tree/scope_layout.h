#pragma once

// The fields of a ScopeTree in an open request.

#include <string_view>
#include <vector>

#include "paths/bodies/parameter_layout.h"
#include "paths/wire/fields.h"
#include "scopes/pulls/view_layout.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace::wire {

/// Sources as one block of little-endian 32-bit numbers, trace and process of each: 100 000 entries would be
/// slow to read.
struct SourceBlock : OneEntry {
  static constexpr std::string_view name = "sources";
  template <class T>
  static constexpr SizeBounds bounds{2, SizeBounds::unbounded};

  template <class Sink>
  static void write(Sink sink, const std::vector<SourceRef>& sources) {
    sink.bytes(block_of(sources));
  }
  template <class Source>
  static void read(Source& source, std::vector<SourceRef>& sources) {
    sources = sources_in(source.bytes(bytes_of_source));
  }

 private:
  static constexpr std::size_t bytes_of_source = 8;
  static std::vector<std::byte> block_of(const std::vector<SourceRef>& sources);
  static std::vector<SourceRef> sources_in(Bytes block);
};

template <>
struct Layout<ProcessRange> : Array<ProcessRange, Field<&ProcessRange::first>, Field<&ProcessRange::count>> {
};

/// The nodes below a node. The bounds of a node contain theirs, so theirs cannot be computed from a node's.
struct Children : List<Structure> {
  template <class T>
  static constexpr SizeBounds bounds{1, SizeBounds::unbounded};
};

template <>
struct Layout<ScopeNode>
    : Array<ScopeNode, Field<&ScopeNode::name>, Field<&ScopeNode::wrapper>,
            Field<&ScopeNode::parameters, WrapperParameters>, Field<&ScopeNode::node>,
            Field<&ScopeNode::endpoint>, Field<&ScopeNode::route>, Field<&ScopeNode::timeout>,
            Field<&ScopeNode::allowance>,
            Field<&ScopeNode::asking, OneOf<Asking::overlapped, Asking::threads>>,
            Field<&ScopeNode::threads, Between<1U, max_asking_threads>>,
            Field<&ScopeNode::when_late, OneOf<WhenLate::partial, WhenLate::skip>>,
            Field<&ScopeNode::first_skip>, Field<&ScopeNode::longest_skip>,
            Field<&ScopeNode::children, Children>, Field<&ScopeNode::sources, SourceBlock>,
            Field<&ScopeNode::dynamic, Flattened>, Field<&ScopeNode::ask_path, OrMinusOne>,
            Field<&ScopeNode::answer_path, OrMinusOne>> {};

inline constexpr std::uint8_t scope_version = 9;

template <>
struct Layout<ScopeTree>
    : Array<ScopeTree, Constant<ScopeTree, scope_version>, Field<&ScopeTree::session>,
            Field<&ScopeTree::scope>, Field<&ScopeTree::fingerprint>, Field<&ScopeTree::next>,
            Field<&ScopeTree::batch>, Field<&ScopeTree::most>, Field<&ScopeTree::since, OrMinusOne>,
            Field<&ScopeTree::probes>, Field<&ScopeTree::look>, Field<&ScopeTree::resume, PositionRuns>,
            Field<&ScopeTree::root>, Unsent<&ScopeTree::consumer_pulls>> {};

}  // namespace eventspace::wire

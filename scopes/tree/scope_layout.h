#pragma once

// Private to scopes/.
// The fields of a ScopeTree in an open request.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "paths/wire/fields.h"
#include "scopes/pulls/view_layout.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace::wire {

/// The value of a parameter as two entries: its kind, and the value in that kind's form.
struct ParameterForm {
  static constexpr std::string_view name = "kind and value";
  static constexpr std::size_t max_texts = 256;  ///< each may be compared with each event
  template <class T>
  static constexpr SizeBounds bounds{2, SizeBounds::unbounded};
  static constexpr std::size_t count(const ParameterValue& /*value*/) noexcept { return 2; }

  template <class Sink>
  static void write(Sink sink, const ParameterValue& value) {
    sink.integer(static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& of_kind) { FormOf<std::decay_t<decltype(of_kind)>>::write(sink, of_kind); },
               value);
  }
  template <class Source>
  static void read(Source& source, ParameterValue& value) {
    const auto kind = source.enumeration(ParameterKind::boolean, ParameterKind::texts);
    read_kind(source, value, static_cast<std::size_t>(kind),
              std::make_index_sequence<std::variant_size_v<ParameterValue>>());
  }

 private:
  template <class T>
  struct FormOf : DefaultForm<T> {};
  template <std::size_t index, class Source>
  static void read_alternative(Source& source, ParameterValue& value) {
    auto& of_kind = value.emplace<index>();
    FormOf<std::decay_t<decltype(of_kind)>>::read(source, of_kind);
  }
  template <class Source, std::size_t... indices>
  static void read_kind(Source& source, ParameterValue& value, std::size_t kind,
                        std::index_sequence<indices...>) {
    ((kind == indices ? read_alternative<indices>(source, value) : void()), ...);
  }
};
template <>
struct ParameterForm::FormOf<std::vector<std::string>> : List<Text<>, max_texts> {};

/// Parameters as an array of arrays: name, kind, value.
struct ParameterList : UnboundedEntry {
  static constexpr std::string_view name = "parameters";

  template <class Sink>
  static void write(Sink sink, const Parameters& parameters) {
    sink.array(parameters.size());
    for (const auto& [name_of_one, value] : parameters) {
      sink.array(3);
      sink.text(name_of_one);
      ParameterForm::write(sink, value);
    }
  }
  template <class Source>
  static void read(Source& source, Parameters& parameters) {
    parameters.clear();
    for (auto list = source.list(); list.more();) {
      auto entry = list.array();
      std::string name_of_one(entry.text());
      ParameterForm::read(
          entry, parameters.insert_or_assign(std::move(name_of_one), ParameterValue()).first->second);
      entry.expect_end();
    }
  }
};

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
            Field<&ScopeNode::parameters, ParameterList>, Field<&ScopeNode::node>,
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

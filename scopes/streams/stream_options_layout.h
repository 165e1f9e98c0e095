#pragma once

// The fields of the options of a stream in a frame (frame.h).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <eventspace/streams.h>
#include "paths/bodies/parameter_layout.h"
#include "paths/wire/fields.h"
#include "scopes/streams/frame.h"

namespace eventspace::wire {

/// A path of a file as a text of at most `most` bytes.
template <std::size_t most>
struct PathText : Text<most> {
  template <class Sink>
  static void write(Sink sink, const std::filesystem::path& path) {
    sink.text(path.native());
  }
  template <class Source>
  static void read(Source& source, std::filesystem::path& path) {
    std::string text;
    Text<most>::read(source, text);
    path = text;
  }
};

/// A set of ranks as an array: the first and the last rank of each range, ascending.
struct RankRanges : OneEntry {
  static constexpr std::string_view name = "rank ranges";
  template <class T>
  static constexpr SizeBounds bounds{1, largest_entry_header + 10 * RankSet::max_ranges};

  template <class Sink>
  static void write(Sink sink, const RankSet& ranks) {
    sink.array(2 * ranks.ranges().size());
    for (const auto [first, last] : ranks.ranges()) {
      sink.integer(first);
      sink.integer(last);
    }
  }
  template <class Source>
  static void read(Source& source, RankSet& ranks) {
    ranks = {};
    RankSet::Rank next = 0;  // two ranges have a gap between them
    for (auto list = source.list(); list.more();) {
      if (ranks.ranges().size() == RankSet::max_ranges || next > RankSet::most) throw BodyError();
      const auto first = list.template integer<RankSet::Rank>(next, RankSet::most);
      const auto last = list.template integer<RankSet::Rank>(first, RankSet::most);
      ranks.add({first, last});
      next = last + 2;
    }
  }
};

template <>
struct Layout<streams::FilterUse>
    : Array<
          streams::FilterUse, Field<&streams::FilterUse::name>,
          Field<&streams::FilterUse::parameters, FilterParameters>,
          Field<&streams::FilterUse::library, PathText<streams::FilterUse::longest_library>>,
          Field<&streams::FilterUse::processes, RankRanges>,
          Field<&streams::FilterUse::limit,
                Between<std::int64_t{0}, std::chrono::nanoseconds(streams::FilterUse::max_limit).count()>>> {
};

/// The filters of one direction.
using FilterUses = List<Structure, streams::StreamOptions::max_filters>;

template <>
struct Layout<streams::StreamOptions>
    : Array<streams::StreamOptions, Unsent<&streams::StreamOptions::members>,
            Field<&streams::StreamOptions::synchronise,
                  OneOf<streams::Synchronise::wait_for_all, streams::Synchronise::rule>>,
            Field<&streams::StreamOptions::time_out, NotNegative>, Field<&streams::StreamOptions::rule>,
            Field<&streams::StreamOptions::up, FilterUses>, Field<&streams::StreamOptions::down, FilterUses>,
            Field<&streams::StreamOptions::when_full,
                  OneOf<streams::WhenFull::wait, streams::WhenFull::disconnect>>,
            Field<&streams::StreamOptions::window, Between<1U, streams::StreamOptions::max_window>>,
            Field<&streams::StreamOptions::window_bytes,
                  Between<std::uint64_t{1}, streams::StreamOptions::max_window_bytes>>> {};

/// Endpoints of the processes of a network.
using Endpoints = List<Text<streams::longest_endpoint>, streams::max_levels>;

}  // namespace eventspace::wire

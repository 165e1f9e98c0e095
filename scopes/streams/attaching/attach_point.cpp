#include "scopes/streams/attaching/attach_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

struct NetworkLine {
  AttachPoint point;
  RankSet places;  // empty: any

  [[nodiscard]] bool has_place(RankSet::Rank rank) const { return places.empty() || places.contains(rank); }
  [[nodiscard]] AttachPoint point_of(std::optional<RankSet::Rank> rank) const {
    AttachPoint chosen = point;
    chosen.rank = rank;
    return chosen;
  }
};

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

[[noreturn]] void refuse(std::string_view source, int line, const std::string& reason) {
  throw ConfigurationError(fmt::format(
      "{}, line {}: {}; a line is NETWORK ENDPOINT RANKS, and a file with keys if the network has keys",
      source, line, reason));
}

NetworkLine read_line(std::string_view text, std::string_view source, int number) {
  NetworkLine line;
  line.point.network = next_word(text);
  line.point.endpoint = next_word(text);
  const std::string_view ranks = next_word(text);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  line.point.keys = text;  // a path may contain blanks
  if (!line.point.endpoint.starts_with("ipc://") && !line.point.endpoint.starts_with("tcp://"))
    refuse(source, number, fmt::format("'{}' is not an endpoint", escaped(line.point.endpoint)));
  const auto places = ranks == "any" ? RankSet() : RankSet::parse(ranks);
  if (!places || (places->empty() && ranks != "any"))
    refuse(source, number, fmt::format("'{}' is not a set of ranks, such as 0-7", escaped(ranks)));
  line.places = *places;
  return line;
}

// Returns at least one line.
std::vector<NetworkLine> read_lines(std::string_view text, std::string_view source) {
  std::vector<NetworkLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one.find_first_not_of(' ') != std::string_view::npos) lines.push_back(read_line(one, source, number));
  }
  if (lines.empty()) throw ConfigurationError(fmt::format("{}: it is empty", source));
  return lines;
}

}  // namespace

std::string attach_line(const AttachPoint& point, const RankSet& places) {
  return fmt::format("{} {} {}{}{}", point.network, point.endpoint, places.empty() ? "any" : places.to_text(),
                     point.keys.empty() ? "" : " ", point.keys.string());
}

std::string AttachPoint::to_text() const {
  return attach_line(*this, rank ? RankSet::of_range(*rank, *rank) : RankSet());
}

AttachPoint AttachPoint::of_text(std::string_view text, std::optional<RankSet::Rank> rank,
                                 std::string_view source) {
  const std::vector<NetworkLine> lines = read_lines(text, source);
  RankSet all;
  bool has_any = false;
  for (const NetworkLine& line : lines) {
    all = all | line.places;
    has_any |= line.places.empty();
    if (rank && line.has_place(*rank)) return line.point_of(rank);
  }
  if (rank)
    throw ConfigurationError(fmt::format("{}: rank {} has no place in the network {}; ranks with a place: {}",
                                         source, *rank, escaped(lines.front().point.network),
                                         all.to_text(200)));
  return lines.front().point_of(!has_any && all.size() == 1 ? all.at(0) : std::nullopt);
}

std::vector<AttachPoint> attach_points(std::string_view text, std::optional<RankSet::Rank> rank,
                                       std::string_view source) {
  std::vector<AttachPoint> points;
  for (const NetworkLine& line : read_lines(text, source)) {
    if (!rank || line.has_place(*rank)) points.push_back(line.point_of(rank));
  }
  return points;
}

AttachPoint AttachPoint::from_environment(std::optional<RankSet::Rank> rank) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') {
    throw ConfigurationError(fmt::format(
        "{} is not set: the program that starts back-ends sets it to the text of an attach point", variable));
  }
  return of_text(text, rank, variable);
}

}  // namespace eventspace::streams

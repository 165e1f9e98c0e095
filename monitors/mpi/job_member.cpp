#include "monitors/mpi/job_member.h"

#include <charconv>

namespace eventspace {
namespace {

// The name comes from the process and is not trusted; a look has an entry for each rank.
constexpr std::uint32_t max_ranks = 1u << 20;

std::optional<std::uint32_t> number_in(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

std::optional<JobMember> member_of(std::optional<std::uint32_t> job, std::optional<std::uint32_t> rank) {
  if (!job || !rank || *rank >= max_ranks) return std::nullopt;
  return JobMember{*job, *rank};
}

}  // namespace

std::optional<JobMember> member_in_name(std::string_view process) {
  const std::size_t dot = process.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view behind = process.substr(dot + 1);
  const std::size_t colon = behind.find(':');
  if (colon == std::string_view::npos) return member_of(first_job, number_in(behind));
  const auto member = member_of(number_in(behind.substr(0, colon)), number_in(behind.substr(colon + 1)));
  return member && member->job > first_job ? member : std::nullopt;
}

std::optional<std::uint32_t> rank_in_name(std::string_view process) {
  const auto member = member_in_name(process);
  return member && member->job == first_job ? std::optional(member->rank) : std::nullopt;
}

std::optional<JobMember> member_in_text(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto member = member_of(number_in(text.substr(0, colon)), number_in(text.substr(colon + 1)));
  return member && member->job >= first_job ? member : std::nullopt;
}

}  // namespace eventspace

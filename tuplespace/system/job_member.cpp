#include "tuplespace/system/job_member.h"

#include <fmt/format.h>

#include <charconv>

namespace eventspace {
namespace {

std::optional<std::uint32_t> number_in(std::string_view digits) noexcept {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string JobMember::text() const { return fmt::format("{}:{}", job, rank); }

std::optional<JobMember> JobMember::parse(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto job = number_in(text.substr(0, colon));
  const auto rank = number_in(text.substr(colon + 1));
  if (!job || !rank) return std::nullopt;
  const JobMember member{*job, *rank};
  return member.is_sound() ? std::optional(member) : std::nullopt;
}

}  // namespace eventspace

#include "tuplespace/system/job_member.h"

#include <fmt/format.h>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

std::string JobMember::text() const { return fmt::format("{}:{}", job, rank); }

std::optional<JobMember> JobMember::parse(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto job = number_in<std::uint32_t>(text.substr(0, colon));
  const auto rank = number_in<std::uint32_t>(text.substr(colon + 1));
  if (!job || !rank) return std::nullopt;
  const JobMember member{*job, *rank};
  return member.is_sound() ? std::optional(member) : std::nullopt;
}

}  // namespace eventspace

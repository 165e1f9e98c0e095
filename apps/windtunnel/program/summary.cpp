#include "apps/windtunnel/program/summary.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <string_view>

#include <eventspace/error.h>

namespace eventspace::windtunnel {
namespace {

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

double site_updates_per_second(const Summary& summary) {
  const auto updates = static_cast<double>(summary.settings.tunnel.sites() * summary.settings.steps);
  return summary.duration.count() > 0 ? updates / seconds(summary.duration) : 0;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string balance_text(const Summary& summary) {
  const auto& flow = summary.flow;
  return fmt::format("{} ({} = {} + {} injected - {} left)", summary.is_mass_balanced() ? "exact" : "WRONG",
                     summary.after.mass, summary.before.mass, flow.injected, flow.left);
}

}  // namespace

std::string to_text(const Summary& summary) {
  const auto& tunnel = summary.settings.tunnel;
  auto text = fmt::format(
      "wind tunnel: {} x {} sites, {} in {}, {} steps in {:.3f} s ({:.1f} million site "
      "updates a second)\n",
      tunnel.columns(), tunnel.rows(), counted(summary.threads, "thread", "threads"),
      counted(summary.processes, "process", "processes"), summary.settings.steps, seconds(summary.duration),
      site_updates_per_second(summary) / 1e6);
  text += fmt::format("events: {} recorded, {} discarded\n", summary.recorded, summary.discarded);
  if (summary.pictures > 0) text += fmt::format("pictures: {}\n", summary.pictures);
  text += fmt::format("mass balance: {}\n", balance_text(summary));
  return text + fmt::format("checksum: {:016x}\n", summary.checksum);
}

std::string to_json(const Summary& summary) {
  const auto& [tunnel, steps, frame_every, reduce_every, barrier_every] = summary.settings;
  return fmt::format(
      R"({{"checksum":"{:016x}","mass_balance_exact":{},"mass_before":{},"mass_after":{},"injected":{},)"
      R"("left":{},"momentum_x":{},"momentum_y":{},"n":{},"steps":{},"seed":{},"obstacle":"{}",)"
      R"("threads":{},"processes":{},"seconds":{:.6f},"site_updates_per_second":{:.0f},)"
      R"("events_recorded":{},"events_discarded":{},"pictures":{}}})",
      summary.checksum, summary.is_mass_balanced(), summary.before.mass, summary.after.mass,
      summary.flow.injected, summary.flow.left, summary.after.momentum_x, summary.after.momentum_y, tunnel.n,
      steps, tunnel.seed, to_string(tunnel.obstacle), summary.threads, summary.processes,
      seconds(summary.duration), site_updates_per_second(summary), summary.recorded, summary.discarded,
      summary.pictures);
}

void write_json(const Summary& summary, const std::filesystem::path& file) {
  errno = 0;
  std::ofstream stream(file);
  stream << to_json(summary) << '\n';
  stream.close();
  if (!stream)
    throw EnvironmentError::from_errno(fmt::format("cannot write the summary '{}'", file.string()), errno);
}

}  // namespace eventspace::windtunnel

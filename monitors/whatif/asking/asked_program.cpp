#include "monitors/whatif/asking/asked_program.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/watching/recorded_session.h"
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/actions/smpi_trace.h"
#include "monitors/whatif/recording/recorded_shares.h"
#include "scopes/recordings/recording_reader.h"

namespace eventspace::whatif {
namespace {

std::optional<AskedProgram> of_recording(const std::filesystem::path& file, const ProgramSettings& settings) {
  const Watched watched = open_recorded(file, "");
  auto recorded = read_recorded_program(watched, {settings.recorder_ns, settings.progress});
  if (!recorded) return std::nullopt;
  AskedProgram asked;
  asked.fitted = fit_network(*recorded);
  separate_overheads(*recorded, *asked.fitted);
  recorded->program.recorded_calls = recorded_shares(*recorded);
  asked.program = std::move(recorded->program);
  asked.notes = std::move(recorded->notes);
  return asked;
}

Program of_text(const std::filesystem::path& file, const ProgramSettings& settings) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw EnvironmentError(fmt::format("cannot read {}", file.string()));
  std::string begin(64, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  if (!is_action_text(begin)) return read_smpi_trace(file, {settings.flops_per_second});
  stream.clear();
  stream.seekg(0);
  return read_actions(stream, file.string());
}

}  // namespace

std::optional<AskedProgram> read_asked_program(const std::filesystem::path& file,
                                               const ProgramSettings& settings) {
  std::optional<AskedProgram> asked;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw EnvironmentError(fmt::format(
        "{} is a directory; expected a recording, a program of actions or a trace of SMPI", file.string()));
  if (is_recording(file)) {
    asked = of_recording(file, settings);
  } else {
    asked = AskedProgram{.program = of_text(file, settings)};
  }
  if (!asked) return asked;
  for (std::string& note : require_consistent(asked->program)) asked->notes.push_back(std::move(note));
  if (const auto& cut = asked->program.cut)
    asked->notes.push_back(fmt::format("the prediction holds only for the first {:.6g} s: {}",
                                       in_seconds(cut->at), cut->reason));
  return asked;
}

}  // namespace eventspace::whatif

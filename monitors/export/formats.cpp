#include "monitors/export/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include <eventspace/error.h>
#include "monitors/export/sinks/chrome_sink.h"
#include "monitors/export/sinks/csv_sink.h"
#include "monitors/export/sinks/ctf_sink.h"
#include "monitors/export/sinks/otf2_sink.h"
#include "monitors/export/sinks/perfetto_sink.h"
#include "monitors/export/sinks/sqlite_sink.h"

namespace eventspace::exports {
namespace {

#ifdef EVENTSPACE_HAS_SQLITE
constexpr auto make_sqlite = &sqlite_sink;
#else
constexpr std::unique_ptr<Sink> (*make_sqlite)(const std::filesystem::path&) = nullptr;
#endif
#ifdef EVENTSPACE_HAS_OTF2
constexpr auto make_otf2 = &otf2_sink;
#else
constexpr std::unique_ptr<Sink> (*make_otf2)(const std::filesystem::path&) = nullptr;
#endif

constexpr std::array<ExportFormat, 6> formats{{{.name = "perfetto",
                                                .help = "for ui.perfetto.dev",
                                                .suffix = ".pftrace",
                                                .is_streamed = true,
                                                .make = &perfetto_sink},
                                               {.name = "chrome",
                                                .help = "JSON, for chrome://tracing and many others",
                                                .suffix = ".json",
                                                .is_streamed = true,
                                                .make = &chrome_sink},
                                               {.name = "otf2",
                                                .help = "a directory, for Vampir and Score-P's tools",
                                                .suffix = ".otf2",
                                                .marker = "traces.otf2",
                                                .make = make_otf2,
                                                .needs = "libopen-trace-format2-dev"},
                                               {.name = "ctf",
                                                .help = "a directory, for babeltrace2 and Trace Compass",
                                                .suffix = ".ctf",
                                                .marker = "metadata",
                                                .make = &ctf_sink},
                                               {.name = "sqlite",
                                                .help = "a database, for questions in SQL",
                                                .suffix = ".sqlite",
                                                .make = make_sqlite,
                                                .needs = "libsqlite3-dev"},
                                               {.name = "csv",
                                                .help = "a line for each event",
                                                .suffix = ".csv",
                                                .is_streamed = true,
                                                .make = &csv_sink}}};

}  // namespace

std::span<const ExportFormat> export_formats() { return formats; }

const ExportFormat& require_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &ExportFormat::name);
  if (found == formats.end()) {
    std::vector<std::string_view> names;
    names.reserve(formats.size());
    for (const ExportFormat& format : formats) names.push_back(format.name);
    throw ConfigurationError(fmt::format("unknown format '{}'; known: {}", name, fmt::join(names, ", ")));
  }
  if (found->make == nullptr) {
    throw EnvironmentError(fmt::format(
        "this eventspace was built without the format {}; install Debian's package {}, and build it again",
        name, found->needs));
  }
  return *found;
}

}  // namespace eventspace::exports

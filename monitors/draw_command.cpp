#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "monitors/commands.h"
#include "monitors/drawing.h"
#include "monitors/faulty_pathmap.h"
#include "monitors/graphviz.h"
#include "monitors/options.h"
#include "monitors/plan_lookup.h"

namespace eventspace {
namespace {

struct DrawOptions {
  std::filesystem::path pathmap;
  std::string scope;
  std::filesystem::path output;
  ThreadDetail threads{ThreadDetail::collapsed};
};

int draw(const DrawOptions& options) {
  const auto plan = read_pathmap(options.pathmap);
  const std::string dot = options.scope.empty() ? draw_paths(*plan, options.threads)
                                                : draw_scope(*plan, require_scope(*plan, options.scope));
  if (options.output.empty()) {
    std::cout << dot;
  } else {
    render_graph(dot, options.output);
  }
  return exit_fine;
}

}  // namespace

Command draw_command() {
  return {"draw", "Draws the paths, or a scope, mapped to the nodes", [](CLI::App& app) {
            const auto options = std::make_shared<DrawOptions>();
            add_pathmap(app, options->pathmap);
            app.add_option("--scope", options->scope, "The scope to draw [the application's paths]")
                ->type_name("NAME");
            app.add_option("-o,--output", options->output,
                           "The file: .svg, .png, .pdf or .dot [Graphviz' language on standard output]")
                ->type_name("FILE");
            app.add_option("--threads", options->threads,
                           "collapsed to ranges, or all, with every element and path [collapsed]")
                ->transform(CLI::CheckedTransformer(std::map<std::string, ThreadDetail>{
                    {"collapsed", ThreadDetail::collapsed}, {"all", ThreadDetail::all}}))
                ->type_name("HOW");
            return [options] { return draw(*options); };
          }};
}

}  // namespace eventspace

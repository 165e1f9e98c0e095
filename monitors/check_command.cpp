#include <iostream>
#include <memory>

#include "monitors/commands.h"
#include "monitors/faulty_pathmap.h"
#include "monitors/options.h"

namespace eventspace {

Command check_command() {
  return {"check", "Says what is wrong with a pathmap, or what there is in it", [](CLI::App& app) {
            const auto file = std::make_shared<std::filesystem::path>();
            add_pathmap(app, *file);
            return [file] {
              read_pathmap(*file);
              return exit_fine;
            };
          }};
}

}  // namespace eventspace

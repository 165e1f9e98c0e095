#include <fmt/format.h>

#include <eventspace/error.h>
#include "pathmaps/generators/built_in.h"

namespace eventspace::generators {

namespace {

struct Side {
  std::string_view name;
  std::string_view opposite;
};
constexpr Side north{"north", "south"};
constexpr Side south{"south", "north"};

class Exchange {
 public:
  Exchange(const GeneratorInput& input, Generated& out)
      : input_(input),
        out_(out),
        name_(parameter<std::string>(input.parameters, "name")),
        wrap_(parameter<bool>(input.parameters, "wrap")) {}

  void run() {
    const auto count = input_.threads.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 || wrap_) link(i, (i + count - 1) % count, north);
      if (i + 1 < count || wrap_) link(i, (i + 1) % count, south);
    }
  }

 private:
  /// Makes the channels from `sender` to `receiver`, its neighbour on `side`.
  void link(std::size_t sender, std::size_t receiver, Side side) {
    for (const auto& channel : parameter<std::vector<std::string>>(input_.parameters, side.name)) {
      const auto element = fmt::format("{}/{}/{}/{}", name_, input_.threads[sender], side.name, channel);
      out_.element(element);
      out_.path({sender, fmt::format("send/{}/{}", side.name, channel), PathUse::write, element});
      out_.path({receiver, fmt::format("receive/{}/{}", side.opposite, channel), PathUse::read, element});
    }
  }

  const GeneratorInput& input_;
  Generated& out_;
  const std::string& name_;
  bool wrap_;
};

}  // namespace

GeneratorInfo neighbour_exchange() {
  return {.name = "neighbour-exchange",
          .help = "each thread exchanges tuples with the one before and the one after it",
          .tuple = {},
          .parameters = {{.name = "name",
                          .kind = ParameterKind::text,
                          .default_value = "border",
                          .help = "first part of the elements' names"},
                         {.name = "wrap",
                          .kind = ParameterKind::boolean,
                          .default_value = false,
                          .help = "the last thread is the first one's neighbour"},
                         {.name = "north",
                          .kind = ParameterKind::texts,
                          .required = true,
                          .help = "channels to the thread before"},
                         {.name = "south",
                          .kind = ParameterKind::texts,
                          .required = true,
                          .help = "channels to the thread after"}},
          .make = [](const GeneratorInput& input, Generated& out) { Exchange(input, out).run(); }};
}

}  // namespace eventspace::generators

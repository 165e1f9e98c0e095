#include "pathmaps/expansion/generate.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "pathmaps/expansion/element_type.h"
#include "pathmaps/generators/generators.h"
#include "pathmaps/reading/parameters.h"
#include "pathmaps/reading/scalars.h"

namespace eventspace::expansion {

using reading::Named;

namespace {

const GeneratorInfo* find_generator(const Word& name, Faults& faults) {
  const auto& registry = GeneratorRegistry::instance();
  const auto* const info = registry.find(name.text);
  if (info != nullptr) return info;
  faults.add(name.place, registry.unknown("generator", name.text));
  return nullptr;
}

// Returns the words of a parameter with their places. The words of a default have the place of the
// generator's name.
std::vector<Word> words_of(const Named& named, const Parameters& parameters, std::string_view name,
                           Faults& faults) {
  const auto* const value = named.parameters != nullptr ? named.parameters->find(name) : nullptr;
  if (value != nullptr) return read_words(*value, name, faults);
  std::vector<Word> words;
  for (const auto& text : parameter<std::vector<std::string>>(parameters, name))
    words.push_back({text, named.name.place});
  return words;
}

class Run {
 public:
  Run(const Named& named, const GeneratorInfo& info, Parameters parameters, Draft& draft)
      : named_(named), info_(info), parameters_(std::move(parameters)), draft_(draft) {}

  void into(PathTable& table) {
    const auto type = element_type();
    threads_ = draft_.threads.select(words_of(named_, parameters_, "threads", draft_.faults), draft_.faults);
    if (!type || threads_.empty()) return;
    const auto generated = generate();
    if (generated) add(*generated, *type, table);
  }

 private:
  std::optional<ElementConfig> element_type() {
    const auto words = words_of(named_, parameters_, "tuple", draft_.faults);
    auto signature = read_signature(words, named_.name.place, draft_.faults);
    if (!signature) return std::nullopt;
    ElementConfig config;
    config.signature = std::move(*signature);
    config.threshold = static_cast<std::size_t>(parameter<std::int64_t>(parameters_, "threshold"));
    const bool discard = parameter<std::string>(parameters_, "when_full") == "discard";
    config.when_full = discard ? WhenFull::discard : WhenFull::wait;
    return config;
  }

  std::optional<Generated> generate() {
    GeneratorInput input{.threads = {}, .parameters = parameters_};
    for (const auto thread : threads_) input.threads.push_back(draft_.threads.name(thread));
    Generated generated(max_paths);
    try {
      info_.make(input, generated);
    } catch (const ConfigurationError& error) {
      draft_.faults.add(named_.name.place, fmt::format("'{}': {}", named_.name.text, error.what()));
      return std::nullopt;
    }
    return generated;
  }

  /// Stops at the first fault: a mistake in the parameters causes the same fault for everything that is
  /// generated.
  void add(const Generated& generated, const ElementConfig& type, PathTable& table) {
    const auto& place = named_.name.place;
    for (const auto& name : generated.elements()) {
      if (!table.add_element({name, place}, type)) return;
    }
    for (const auto& path : generated.paths()) {
      if (!table.add_path({path.name, place}, threads_[path.thread], {path.element, place}, path.use, {}))
        return;
    }
  }

  const Named& named_;
  const GeneratorInfo& info_;
  Parameters parameters_;
  Draft& draft_;
  std::vector<ThreadIndex> threads_;  ///< in the order of GeneratorInput::threads
};

}  // namespace

void run_generator(const reading::Value& entry, Draft& draft, PathTable& table) {
  const auto named = reading::read_named(entry, "generator", draft.faults);
  const auto* const info = named ? find_generator(named->name, draft.faults) : nullptr;
  if (info == nullptr) return;
  auto parameters = read_parameters(*named, info->all_parameters(), draft.faults);
  if (parameters) Run(*named, *info, std::move(*parameters), draft).into(table);
}

}  // namespace eventspace::expansion

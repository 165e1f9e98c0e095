#include "tests/fuzz/fuzz.h"
#include "tests/paths/wire/wire_talk.h"

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const wire::Message& message : test::good_messages()) {
    seeds.push_back(text_of(message));
    seeds.push_back(text_of(test::parsed(message).envelope));
  }
  return seeds;
}

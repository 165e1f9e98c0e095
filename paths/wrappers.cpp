#include "paths/wrappers.h"

#include "paths/delay_wrapper.h"

namespace eventspace {

WrapperRegistry::WrapperRegistry() : Registry("path wrapper", {delay_wrapper()}) {}

WrapperRegistry& WrapperRegistry::instance() {
  static WrapperRegistry registry;
  return registry;
}

}  // namespace eventspace

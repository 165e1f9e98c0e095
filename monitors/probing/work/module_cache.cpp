#include "monitors/probing/work/module_cache.h"

namespace eventspace {

std::shared_ptr<const DecodedModule> ModuleCache::decoded(std::int32_t pid, const ProcessModule& module) {
  const File file{module.device, module.inode, module.path};
  if (const auto known = modules_.find(file); known != modules_.end()) return known->second;
  auto read = std::make_shared<const DecodedModule>(read_module(file_of(pid, module)), analysis_cache_);
  if (modules_.size() >= max_modules) modules_.clear();
  modules_.emplace(file, read);
  return read;
}

}  // namespace eventspace

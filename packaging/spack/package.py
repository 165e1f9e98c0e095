"""Recipe for Spack. Put this folder into a repository of recipes as packages/eventspace/, or:

    spack repo create my && mkdir -p my/packages/eventspace && cp package.py my/packages/eventspace/
    spack repo add my && spack install eventspace
"""

from spack.package import *


class Eventspace(CMakePackage):
    """Observe the communication of parallel programs while they run: which operation each thread is in, and which
    thread it waits for."""

    license("MIT")
    maintainers()
    # A checkout is built with `spack dev-build eventspace@main`; there is no archive of a release yet.
    version("main", branch="main")

    variant("mpi", default=True, description="Observe unmodified programs of Open MPI or MPICH")
    variant("python", default=False, description="The Python module")
    variant("otf2", default=True, description="Exports to OTF2")
    variant("simgrid", default=False, description="Switched networks in `eventspace whatif`")
    variant("tests", default=False, description="The tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cppzmq")
    depends_on("libzmq@4.3: +libsodium")
    depends_on("msgpack-c")
    depends_on("yaml-cpp")
    depends_on("fmt@9:")
    depends_on("intel-tbb")
    depends_on("zstd")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("libpng")
    depends_on("xz")
    depends_on("sqlite")
    depends_on("elfutils")
    depends_on("graphviz", type="run")
    depends_on("mpi", when="+mpi")
    depends_on("otf2", when="+otf2")
    depends_on("simgrid", when="+simgrid")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-pybind11", type="build", when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("googletest", type="build", when="+tests")

    generator("ninja")

    conflicts("%gcc@:11")
    conflicts("%clang@:13")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("EVENTSPACE_BUILD_TESTS", "tests"),
            self.define("EVENTSPACE_BUILD_BENCH", False),
            self.define("EVENTSPACE_BUILD_EXAMPLES", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CMAKE_UNITY_BUILD_BATCH_SIZE", 16),
            self.define_from_variant("EVENTSPACE_SIMGRID", "simgrid"),
            self.define_from_variant("EVENTSPACE_PYTHON", "python"),
            # The page needs d3.min.js, for which Spack has no recipe; -DEVENTSPACE_D3=FILE names one.
            self.define("EVENTSPACE_PAGE", "AUTO"),
            self.define("EVENTSPACE_PVM", False),
        ]
        for name, package in (("OPENMPI", "openmpi"), ("MPICH", "mpich")):
            used = "+mpi" in spec and spec["mpi"].name == package
            args.append(self.define(f"EVENTSPACE_{name}", used))
            if used:
                args.append(self.define(f"EVENTSPACE_{name}_INCLUDE_DIR", spec["mpi"].prefix.include))
        return args

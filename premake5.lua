-- SPDX-License-Identifier: MIT
--
-- The build, one project per part. `make build` is the short way; by hand:
--
--   build/deps/bin/premake5 gmake2        then   make -C build/make/gcc config=release
--   premake5 vs2019 --deps=DIR            then   open build/make/vs2019/hem.sln
--
-- (Releases from 5.0 beta5 on call the first action gmake.)
--
-- Who may see whom. Sources include each other by path from the root ("platform/vec.h"), so handing a project the
-- root would show it everything. Instead each project gets a folder of links, build/include/<project>, that holds just the
-- folders it may see; a forbidden include finds no file. Links are symbolic, on Windows junctions and
-- hard links, which need no privilege. tools/check_includes catches paths that climb out with "..".
--
-- Where things go. A target's name is empty for gcc release on this machine and is otherwise made of compiler or
-- architecture and configuration: build/bin/hemc, build/bin/debug/hemc, build/bin/clang-asan/hemc,
-- build/bin/aarch64/test_runtime. Libraries are in build/lib the same way.

newoption {
  trigger = "cc",
  value = "NAME",
  description = "Compiler on this machine",
  default = "gcc",
  allowed = { { "gcc", "GCC" }, { "clang", "Clang; has the fuzz configuration too" } },
}

newoption {
  trigger = "arch",
  value = "NAME",
  description = "Machine to build for",
  default = "native",
  allowed = {
    { "native", "This machine" },
    { "aarch64", "64-bit ARM Linux, with aarch64-linux-gnu-gcc" },
    { "wasm", "WebAssembly with SIMD, with clang and wasi-libc" },
  },
}

newoption {
  trigger = "deps",
  value = "DIR",
  description = "Folder with include/, lib/ and bin/ of the third-party parts (default build/deps, filled by tools/deps)",
}

local cc = _OPTIONS["cc"] or "gcc"
local arch = _OPTIONS["arch"] or "native"
local deps = path.getabsolute(_OPTIONS["deps"] or "build/deps")
local visual_studio = _ACTION ~= nil and _ACTION:sub(1, 2) == "vs"
local native = arch == "native"

local function host_is_x86()
  if os.host() == "windows" then
    return true
  end
  local machine = os.outputof("uname -m")
  return machine ~= nil and (machine:find("x86_64") ~= nil or machine:find("amd64") ~= nil)
end

local x86 = native and host_is_x86()

-- gcc on this machine needs no name; everything else has one.
local toolchain = native and cc or arch
local function target_name(config)
  local parts = {}
  if toolchain ~= "gcc" then
    table.insert(parts, toolchain)
  end
  if config ~= "release" then
    table.insert(parts, config)
  end
  return table.concat(parts, "-")
end

local configs = { "release", "debug", "asan" }
if native and cc == "clang" then
  table.insert(configs, "fuzz")
elseif native and not visual_studio then
  table.insert(configs, "tsan")
end

-- The betas renamed it.
local system_include_folders = externalincludedirs or sysincludedirs

-- Sources of one part; a part without any is left out.
local function sources(...)
  local found = {}
  for _, pattern in ipairs({ ... }) do
    for _, file in ipairs(os.matchfiles(pattern)) do
      table.insert(found, file)
    end
  end
  table.sort(found)
  return found
end

local function without(list, unwanted)
  local kept = {}
  for _, file in ipairs(list) do
    if file ~= unwanted then
      table.insert(kept, file)
    end
  end
  return kept
end

-- Links build/include/<name>/<link> to each wanted folder or file, as { link = target }. The set is written beside the
-- folder, so that it is made anew only when it changes and a build that is running never misses a header.
local function see(name, links)
  local folder = "build/include/" .. name
  local lines = {}
  for link, target in pairs(links) do
    if os.isdir(target) or os.isfile(target) then
      table.insert(lines, link .. " " .. target)
    end
  end
  table.sort(lines)
  local text = table.concat(lines, "\n") .. "\n"
  local list = folder .. ".list"
  includedirs { folder }
  if io.readfile(list) == text then
    return
  end
  local windows = os.host() == "windows"
  if os.isdir(folder) then
    -- Not os.rmdir, which would follow the links.
    os.execute(windows and ('rmdir /s /q "' .. path.translate(folder, "\\") .. '"') or ('rm -rf "' .. folder .. '"'))
  end
  os.mkdir(folder)
  for _, line in ipairs(lines) do
    local link, target = line:match("^(%S+) (%S+)$")
    local parent = path.getdirectory(path.join(folder, link))
    os.mkdir(parent)
    local here = path.join(folder, link)
    local command
    if windows then
      command = string.format('mklink %s "%s" "%s"', os.isdir(target) and "/J" or "/H", path.translate(here, "\\"),
        path.translate(path.getabsolute(target), "\\"))
    else
      command = string.format('ln -s "%s" "%s"', path.getrelative(path.getabsolute(parent), path.getabsolute(target)), here)
    end
    if not os.execute(command) then
      error("cannot link " .. here .. " to " .. target)
    end
  end
  io.writefile(list, text)
end

-- Adds to the links platform's freestanding headers only: those without a source beside them, since all of
-- platform's sources call the operating system.
local function and_freestanding_platform(links)
  for _, header in ipairs(sources("platform/*.h")) do
    if not os.isfile(path.replaceextension(header, ".c")) then
      links[header] = header
    end
  end
  return links
end

-- The revision of the compiler: a hash over every source its bytes can depend on and over this script, which holds the
-- flags. It is part of each cache key (compiler/driver/cache.c), so that no cache serves what another build has made.
-- Written whenever makefiles are, and again before the compiler is built: `premake5 revision`. Names, order and text are
-- all that counts; not times, not line ends, not where the tree lies.
local revision_header = "build/generated/hemc_revision.h"

local function revision_of_sources()
  local names = { "premake5.lua" }
  for _, pattern in ipairs { "compiler/**.c", "compiler/**.h", "compiler/**.inl", "formats/**.c", "formats/**.h",
    "platform/*.c", "platform/*.h", "runtime/include/hem/*.h" } do
    for _, name in ipairs(os.matchfiles(path.join(_MAIN_SCRIPT_DIR, pattern))) do
      table.insert(names, path.getrelative(_MAIN_SCRIPT_DIR, name))
    end
  end
  table.sort(names)
  local hash = 0x6a09e667f3bcc908
  for _, name in ipairs(names) do
    local text = io.readfile(path.join(_MAIN_SCRIPT_DIR, name)):gsub("\r\n", "\n")
    local bytes = name .. "\0" .. #text .. "\0" .. text
    bytes = bytes .. ("\0"):rep(-#bytes % 8)
    for at = 1, #bytes, 8 do -- eight at a time: a byte at a time takes a noticeable part of a second
      hash = (hash ~ string.unpack("<i8", bytes, at)) * 0x9e3779b97f4a7c15
      hash = hash ~ (hash >> 29)
    end
  end
  return string.format("%016x", hash)
end

local function write_revision()
  local text = "// Made by premake5.lua.\n#define HEMC_REVISION \"" .. revision_of_sources() .. "\"\n"
  local header = path.join(_MAIN_SCRIPT_DIR, revision_header)
  if not os.isfile(header) or io.readfile(header) ~= text then
    os.mkdir(path.getdirectory(header))
    local draft = header .. "." .. tostring(os.time()) .. tostring({}):gsub("%W", "")
    io.writefile(draft, text)
    if os.host() == "windows" then
      os.remove(header) -- it renames over nothing
    end
    assert(os.rename(draft, header))
  end
end

newaction {
  trigger = "revision",
  description = "Write the revision of the compiler's sources, for its cache keys",
  execute = write_revision,
}
if _ACTION ~= nil and _ACTION ~= "revision" then
  write_revision()
end

workspace "hem"
  configurations(configs)
  location("build/make/" .. (visual_studio and _ACTION or toolchain))
  startproject "tool"
  if visual_studio then
    platforms { "x64" }
    architecture "x86_64"
  end

  for _, config in ipairs(configs) do
    filter { "configurations:" .. config }
      targetdir("build/bin/" .. target_name(config))
      objdir("!build/obj/" .. toolchain .. "/" .. config .. "/%{prj.name}")
    filter { "configurations:" .. config, "kind:StaticLib" }
      targetdir("build/lib/" .. target_name(config))
  end

  filter {}
    symbols "On"
  filter { "configurations:debug or asan or fuzz" }
    defines { "HEM_DEBUG=1" }
  -- Gaps between the arrays of a scene's block are poisoned: runtime/src/layout.h.
  filter { "configurations:asan or fuzz" }
    defines { "HEM_POISON=1" }
  filter { "configurations:release" }
    defines { "NDEBUG" }
    optimize "On"

  filter { "action:vs*" }
    warnings "Extra"
    buildoptions { "/fp:precise", "/utf-8" }
    defines { "_CRT_SECURE_NO_WARNINGS" }
  filter { "action:vs*", "language:C" }
    buildoptions { "/std:c17" }

  -- The same bits from every compiler: no contraction, no fast-math, no FMA; scalar sqrt as one instruction.
  filter { "action:not vs*" }
    buildoptions { "-Wall", "-Wextra", "-Wshadow", "-Wpointer-arith", "-Werror", "-ffp-contract=off", "-fno-math-errno" }
  filter { "action:not vs*", "language:C" }
    buildoptions { "-std=c17", "-Wstrict-prototypes", "-Wmissing-prototypes" }
  filter { "action:not vs*", "language:C++" }
    buildoptions { "-std=c++17" }
  filter { "action:not vs*", "configurations:release" }
    buildoptions { "-g1" }
  filter { "action:not vs*", "configurations:debug" }
    buildoptions { "-Og", "-g" }
  filter { "action:not vs*", "configurations:asan" }
    -- Variable tracking takes minutes over the inlined kernels, hence -g1.
    buildoptions { "-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all" }
    linkoptions { "-fsanitize=address,undefined" }
  filter { "action:not vs*", "configurations:tsan" }
    buildoptions { "-O1", "-g1", "-fsanitize=thread" }
    linkoptions { "-fsanitize=thread" }
  filter { "action:not vs*", "configurations:fuzz" }
    buildoptions { "-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=fuzzer-no-link,address,undefined",
      "-fno-sanitize-recover=all" }
    linkoptions { "-fsanitize=address,undefined" }
  -- All kernels are one source. The widest is looked at in full; in the others, which take most of the time of a sanitized build
  -- and have next to no arrays on the stack, only at what they read and write.
  filter { "action:not vs*", "configurations:asan or fuzz", "files:runtime/src/kernels/scalar/** or runtime/src/kernels/sse2/**" }
    buildoptions { "-fno-sanitize=undefined", cc == "clang" and "-mllvm -asan-stack=0" or "--param=asan-stack=0" }
  filter { "action:not vs*", "configurations:asan", "files:runtime/src/kernels/scalar/**" }
    buildoptions { "-finline-small-functions" }
  -- A source that is gone makes no object newer: link again when the list of sources changes. And ar only adds
  -- members; one whose source is gone would stay for ever.
  filter { "action:not vs*" }
    makesettings { "LDDEPS += $(firstword $(MAKEFILE_LIST))" }
  filter { "action:not vs*", "kind:StaticLib" }
    makesettings { 'LINKCMD = rm -f "$@" && $(AR) -rcs "$@" $(OBJECTS)' }
  filter {}

  -- Named outright, since a CC in the environment must not turn one target into another.
  if not visual_studio then
    if arch == "aarch64" then
      toolset "gcc"
      makesettings { "CC = aarch64-linux-gnu-gcc", "CXX = aarch64-linux-gnu-g++", "AR = aarch64-linux-gnu-ar" }
    elseif arch == "wasm" then
      -- greatest's clock needs a library of its own on WASI, for a number nobody reads.
      toolset "clang"
      makesettings { "CC = clang", "CXX = clang++", "AR = llvm-ar" }
      -- clang 14 may move a load whose value is splatted behind a store (HEM_VEC_FROM_LOCAL in platform/vec_wasm.h), so it makes
      -- no vectors of its own; the determinism suite notices.
      buildoptions { "--target=wasm32-wasi", "-msimd128", "-fno-vectorize", "-fno-slp-vectorize" }
      -- The stack lies below the data, so that running over its end traps and does not write into something else.
      linkoptions { "--target=wasm32-wasi", "-Wl,--stack-first", "-Wl,-z,stack-size=1048576" }
      defines { "GREATEST_USE_TIME=0" }
    elseif cc == "clang" then
      toolset "clang"
      makesettings { "CC = clang", "CXX = clang++", "AR = ar" }
    else
      toolset "gcc"
      makesettings { "CC = gcc", "CXX = g++", "AR = ar" }
    end
  end

-- Objects of one project lie in one folder. premake numbers those of equal names, and a file added later shifts the
-- numbers, which leaves old objects under other names: so names are unique within a project.
local function refuse_equal_names(name, files_of_it)
  local seen = {}
  for _, file in ipairs(files_of_it) do
    local base = path.getbasename(file)
    if seen[base] then
      error(name .. " has two sources of one name: " .. seen[base] .. " and " .. file)
    end
    seen[base] = file
  end
end

-- A project in C. Returns false, and makes none, when it has no sources.
local function c_project(name, project_kind, files_of_it)
  if #files_of_it == 0 then
    return false
  end
  refuse_equal_names(name, files_of_it)
  project(name)
    kind(project_kind)
    language "C"
    files(files_of_it)
    if x86 then
      filter { "files:**_avx2.c" }
        buildoptions { visual_studio and "/arch:AVX2" or "-mavx2" }
      filter {}
    end
  return true
end

-- Third-party headers and libraries; only who names them here can see those that tools/deps brings.
local function third_party(libraries)
  system_include_folders { deps .. "/include" }
  libdirs { deps .. "/lib" }
  links(libraries)
end

local function system_libraries()
  filter { "system:linux" }
    links { "m" }
    if native then
      links { "pthread" }
    end
  filter {}
end

-- -- Libraries

group "libraries"

if c_project("formats", "StaticLib", sources("formats/*.c")) then
  targetname "hem_formats"
  see("formats", { formats = "formats" })
  pic "On"
end

if c_project("platform", "StaticLib", sources("platform/*.c")) then
  targetname "hem_platform"
  see("platform", { platform = "platform" })
end

-- The one library that a game links: the formats' validators are inside. Position independent, so that it can go
-- into an engine's shared library; without interposition, so that this costs nothing.
if c_project("runtime", "StaticLib", sources("runtime/src/*.c", "runtime/src/kernels/**.c", "formats/*.c")) then
  targetname "hem"
  see("runtime", and_freestanding_platform { formats = "formats", ["runtime/src"] = "runtime/src", hem = "runtime/include/hem" })
  pic "On"
  if not visual_studio and arch ~= "wasm" then
    buildoptions { "-fno-semantic-interposition" }
  end
end

local compiler_libraries = { "xxhash", "meshoptimizer" }

-- The compiler elsewhere serves one test: that it makes the same bytes there.
local has_compiler = native or arch == "aarch64"

if has_compiler then
  if c_project("compiler", "StaticLib", sources("compiler/**.c")) then
    targetname "hemc_core"
    includedirs { path.getdirectory(revision_header) }
    local here = path.getabsolute("build/make/" .. (visual_studio and _ACTION or toolchain))
    local function from_here(file)
      local relative = path.getrelative(here, path.getabsolute(file))
      return visual_studio and path.translate(relative, "\\") or relative
    end
    prebuildcommands { string.format('"%s" "--file=%s" revision >%s', from_here(_PREMAKE_COMMAND), from_here("premake5.lua"),
      visual_studio and "nul" or "/dev/null") }
    see("compiler", { formats = "formats", platform = "platform", compiler = "compiler", hem = "runtime/include/hem" })
    third_party {}
    if not native then
      defines { "XXH_INLINE_ALL" } -- the header holds the whole library
    end
  end

  if c_project("samples_core", "StaticLib", without(sources("samples/*.c"), "samples/main.c")) then
    see("samples", { formats = "formats", platform = "platform", samples = "samples", hem = "runtime/include/hem" })
  end
end

if native then

  local bullet
  for _, folder in ipairs { deps .. "/include/bullet", "/usr/include/bullet", "/usr/local/include/bullet" } do
    if bullet == nil and os.isfile(folder .. "/BulletSoftBody/btSoftBody.h") then
      bullet = folder
    end
  end

  local tools_see = { formats = "formats", platform = "platform", tools = "tools", ["compiler/hemc.h"] = "compiler/hemc.h",
    ["runtime/src/triangulate.h"] = "runtime/src/triangulate.h", hem = "runtime/include/hem" }

  if c_project("tools_core", "StaticLib", without(without(sources("tools/*.c"), "tools/main.c"), "tools/hemc_main.c")) then
    see("tools", tools_see)
    third_party {}
    if bullet then
      defines { "HEM_WITH_BULLET=1" }
    end
  end

  -- Bullet is a C++ library, hence the only C++ here. The benchmark says so when it was built without.
  local bullet_sources = sources("tools/*.cpp")
  if bullet and #bullet_sources > 0 then
    project "tools_bullet"
      kind "StaticLib"
      language "C++"
      files(bullet_sources)
      see("tools", tools_see)
      system_include_folders { bullet }
      defines { "HEM_WITH_BULLET=1" }
  else
    bullet = nil
  end

  -- -- Programs

  group "programs"

  -- Its main is with the tools because of --picture, which needs the renderer.
  if c_project("hemc", "ConsoleApp", sources("tools/hemc_main.c")) then
    see("tools", tools_see)
    links { "tools_core", "compiler", "runtime", "platform" }
    third_party(compiler_libraries)
    system_libraries()
  end

  local function link_bullet()
    if bullet then
      defines { "HEM_WITH_BULLET=1" }
      links { "tools_bullet", "BulletSoftBody", "BulletDynamics", "BulletCollision", "LinearMath" }
      filter { "system:linux" }
        links { "stdc++" }
      filter {}
    end
  end

  if c_project("tool", "ConsoleApp", sources("tools/main.c")) then
    targetname "hem"
    see("tools", tools_see)
    links { "tools_core", "compiler", "runtime", "platform" }
    link_bullet()
    third_party(compiler_libraries)
    system_libraries()
  end

  if c_project("samples", "ConsoleApp", sources("samples/main.c")) then
    targetname "hem_samples"
    see("samples", { formats = "formats", platform = "platform", samples = "samples", hem = "runtime/include/hem" })
    links { "samples_core", "runtime", "platform" }
    system_libraries()
  end

  -- Hem on a game's own threads: sees what a game sees.
  if os.host() ~= "windows" and not visual_studio and
      c_project("sample_threads", "ConsoleApp", { "samples/threads/main.c" }) then
    includedirs { "runtime/include" }
    links { "runtime", "platform" }
    system_libraries()
  end

  -- -- Tests of what runs on this machine only

  group "tests"

  for _, area in ipairs { "compiler", "samples", "tools" } do
    if c_project("test_" .. area, "ConsoleApp", sources("tests/" .. area .. "/*.c")) then
      includedirs { ".", "runtime/include" }
      links { "tools_core", "samples_core", "compiler", "runtime", "platform" }
      link_bullet()
      third_party(compiler_libraries)
      if area == "tools" then
        links { "cjson" } -- reads what the tools write as JSON
      end
      system_libraries()
    end
  end

  -- Small assets for the runtime's tests: written here, read on every target.
  if c_project("test_assets", "ConsoleApp", sources("tests/assets/*.c")) then
    includedirs { ".", "runtime/include" }
    links { "compiler", "runtime", "platform" }
    third_party(compiler_libraries)
    system_libraries()
  end

  -- Lets the C library fail, for tests/failure/run.
  if os.host() == "linux" and not visual_studio and c_project("failure", "SharedLib", sources("tests/failure/*.c")) then
    links { "dl" }
    removeconfigurations { "asan", "fuzz", "tsan" } -- their own malloc comes first
  end

  -- What of the runtime's tests uses threads, for the thread sanitizer: with all of them it would take minutes to build.
  if cc == "gcc" and not visual_studio and
      c_project("test_threads", "ConsoleApp", { "tests/threads/main.c", "tests/runtime/fixture.c", "tests/runtime/jobs.c" }) then
    includedirs { ".", "runtime/include" }
    links { "runtime", "platform" }
    third_party {}
    system_libraries()
    removeconfigurations { "release", "debug", "asan" }
  end

  -- -- Fuzz targets, tests/fuzz/fuzz_<name>.c, one program a file; and for every compiler one that replays files

  for _, file in ipairs(sources("tests/fuzz/fuzz_*.c")) do
    c_project("replay_" .. path.getbasename(file):sub(6), "ConsoleApp", { file, "tests/fuzz/replay.c" })
      includedirs { ".", "runtime/include" }
      links { "compiler", "runtime", "platform" }
      third_party(compiler_libraries)
      system_libraries()
  end

  if cc == "clang" then
    group "fuzz"
    for _, file in ipairs(sources("tests/fuzz/fuzz_*.c")) do
      c_project(path.getbasename(file), "ConsoleApp", { file })
        includedirs { ".", "runtime/include" }
        links { "compiler", "runtime", "platform" }
        third_party(compiler_libraries)
        system_libraries()
        removeconfigurations { "release", "debug", "asan" }
        linkoptions { "-fsanitize=fuzzer" }
    end
  end
end

-- -- Tests of what runs on every target

group "tests"

for _, area in ipairs { "platform", "formats", "runtime" } do
  local files = sources("tests/" .. area .. "/*.c")
  if area == "runtime" then
    files[#files + 1] = "tools/rod_reference.c"
  end
  if c_project("test_" .. area, "ConsoleApp", files) then
    includedirs { ".", "runtime/include" }
    links { "runtime", "platform" }
    third_party {}
    system_libraries()
    if arch == "wasm" then
      targetextension ".wasm"
      -- As much as any of them needs: node 20 fell over at the end of programs whose memory had grown.
      linkoptions { "-Wl,--initial-memory=536870912" }
    end
  end
end

-- Sample characters to .hem bytes, compared with one table.
if has_compiler then
  local golden = sources("tests/golden/*.c")
  if native then
    golden = without(golden, "tests/golden/meshopt_absent.c")
  end
  if c_project("test_golden", "ConsoleApp", golden) then
    includedirs { ".", "runtime/include" }
    links { "samples_core", "compiler", "runtime", "platform" }
    third_party(native and { "xxhash", "meshoptimizer" } or {})
    system_libraries()
    if not native then
      defines { "XXH_INLINE_ALL" }
    end
  end
end

-- -- The runtime as a WebAssembly module without a libc, for the benchmark and the viewer

if arch == "wasm" and #sources("tools/wasm/*.c") > 0 then
  group "programs"
  c_project("module", "ConsoleApp", sources("tools/wasm/*.c", "runtime/src/*.c", "runtime/src/kernels/**.c", "formats/*.c"))
    targetname "hem"
    targetextension ".wasm"
    see("module", and_freestanding_platform { formats = "formats", ["runtime/src"] = "runtime/src", hem = "runtime/include/hem",
      ["tools/wasm"] = "tools/wasm" })
    linkoptions { "-nostdlib", "-Wl,--no-entry", "-Wl,--export-dynamic" }
    links { "c" }
end

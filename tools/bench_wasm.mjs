// SPDX-License-Identifier: MIT
//
// Hem's WebAssembly module beside Jolt's, in one process, frame by frame in turns. Called by `hem bench`, which writes the
// world file (its layout is described in tools/bench_wasm.c) and reads the lines printed here.
//
//   node tools/bench_wasm.mjs hem.wasm WORLD WARM_FRAMES TIMED_FRAMES

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const DT = 1 / 60;
const SUBSTEPS = 4;
const DAMPING = 5;
const FRICTION = 0.3;
const LOOKS = 6;
const LINK_BEND = 3;

// -- The world

function readWorld(bytes) {
  const u32 = new Uint32Array(bytes);
  const f32 = new Float32Array(bytes);
  const [particleCount, linkCount, instanceCount, frameCount, capsuleCount, assetSize, width, height] = u32;
  let at = 8;
  const particles = [];
  for (let i = 0; i < particleCount; i++, at += 5) {
    particles.push({ position: [f32[at], f32[at + 1], f32[at + 2]], mass: f32[at + 3], pinned: u32[at + 4] !== 0 });
  }
  const links = [];
  for (let i = 0; i < linkCount; i++, at += 3) {
    links.push({ a: u32[at], b: u32[at + 1], kind: u32[at + 2] });
  }
  const origins = [];
  for (let i = 0; i < instanceCount; i++, at += 3) {
    origins.push([f32[at], f32[at + 1], f32[at + 2]]);
  }
  const frames = [];
  for (let i = 0; i < frameCount; i++) {
    const capsules = [];
    for (let k = 0; k < capsuleCount; k++, at += 9) {
      capsules.push(f32.subarray(at, at + 9)); // position, rotation, radius, half
    }
    frames.push(capsules);
  }
  const assetAt = Math.ceil((4 * at) / 64) * 64;
  const asset = new Uint8Array(bytes, assetAt, assetSize);
  const spacing = Math.min(2 / (width - 1), 2 / (height - 1));
  return { particles, links, origins, frames, asset, width, height, spacing };
}

// -- Hem

async function createHem(modulePath, world) {
  const { instance } = await WebAssembly.instantiate(await readFile(modulePath), {});
  const hem = instance.exports;
  const check = (result, what) => {
    if (result !== 0) {
      throw new Error(`hem.wasm: ${what} gave result ${result}`);
    }
  };
  const bytes = hem.module_reserve(world.asset.length);
  new Uint8Array(hem.memory.buffer, bytes, world.asset.length).set(world.asset);
  const capsuleCount = world.frames.length > 0 ? world.frames[0].length : 0;
  check(hem.module_load(bytes, world.asset.length, world.origins.length, capsuleCount), "module_load");
  world.origins.forEach((origin, i) => {
    check(hem.module_add(...origin), "module_add");
    check(hem.module_keep_awake(i), "module_keep_awake");
  });
  const held = hem.module_used() - bytes;
  const capsulesAt = hem.module_reserve(Math.max(1, capsuleCount) * 36);
  const slots = hem.module_count(0);
  const positionsAt = hem.module_reserve(slots * 12);
  const flagsAt = hem.module_reserve(slots * 4);

  // The compiler has put the particles where it likes; at rest their positions tell who they are.
  check(hem.module_particles(0, positionsAt, flagsAt), "module_particles");
  const rest = new Float32Array(hem.memory.buffer, positionsAt, 3 * slots);
  const flags = new Uint32Array(hem.memory.buffer, flagsAt, slots);
  const places = new Int32Array(slots).fill(-1);
  for (let i = 0; i < slots; i++) {
    if ((flags[i] & 1) === 0) {
      const x = Math.round((rest[3 * i] + 1) * 0.5 * (world.width - 1));
      const z = Math.round(rest[3 * i + 2] * 0.5 * (world.height - 1));
      places[i] = z * world.width + x;
    }
  }
  return {
    name: "hem-wasm",
    bytesPerParticle: held / (world.particles.length * world.origins.length),
    step(frame) {
      if (capsuleCount > 0) {
        const given = new Float32Array(hem.memory.buffer, capsulesAt, 9 * capsuleCount);
        world.origins.forEach((origin, i) => {
          world.frames[frame].forEach((capsule, k) => {
            given.set(capsule, 9 * k);
            given[9 * k] += origin[0];
            given[9 * k + 1] += origin[1];
            given[9 * k + 2] += origin[2];
          });
          hem.module_capsules(i, capsulesAt, capsuleCount, FRICTION);
        });
      }
      hem.module_step(DT, SUBSTEPS);
    },
    read(index, positions) {
      check(hem.module_particles(index, positionsAt, flagsAt), "module_particles");
      const now = new Float32Array(hem.memory.buffer, positionsAt, 3 * slots);
      for (let i = 0; i < slots; i++) {
        if (places[i] >= 0) {
          positions.set(now.subarray(3 * i, 3 * i + 3), 3 * places[i]);
        }
      }
    },
  };
}

// -- Jolt: its edge constraints with no compliance, one iteration (a substep of its own) per projection

async function createJolt(world) {
  const resolve = createRequire(path.resolve("build/deps/node/package.json")).resolve;
  const { default: init } = await import(pathToFileURL(resolve("jolt-physics/wasm-compat")).href);
  const Jolt = await init();
  const settings = new Jolt.JoltSettings();
  settings.mMaxWorkerThreads = 0;
  const FIXED = 0;
  const MOVING = 1;
  const pairs = new Jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(FIXED, MOVING);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  layers.MapObjectToBroadPhaseLayer(FIXED, new Jolt.BroadPhaseLayer(0));
  layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
  const jolt = new Jolt.JoltInterface(settings);
  const system = jolt.GetPhysicsSystem();
  const bodies = system.GetBodyInterface();
  system.SetGravity(new Jolt.Vec3(0, -9.81, 0));

  const shared = new Jolt.SoftBodySharedSettings();
  for (const particle of world.particles) {
    const vertex = new Jolt.SoftBodySharedSettingsVertex();
    vertex.mPosition = new Jolt.Float3(...particle.position);
    vertex.mInvMass = particle.pinned ? 0 : 1 / particle.mass;
    shared.mVertices.push_back(vertex);
    Jolt.destroy(vertex);
  }
  // A body needs faces to have bounds of its own; they are not simulated.
  for (let z = 0; z + 1 < world.height; z++) {
    for (let x = 0; x + 1 < world.width; x++) {
      const a = z * world.width + x;
      for (const [i, j, k] of [[a, a + world.width, a + 1], [a + 1, a + world.width, a + world.width + 1]]) {
        const face = new Jolt.SoftBodySharedSettingsFace(i, j, k, 0);
        shared.AddFace(face);
        Jolt.destroy(face);
      }
    }
  }
  for (const link of world.links) {
    const edge = new Jolt.SoftBodySharedSettingsEdge(link.a, link.b, 0);
    shared.mEdgeConstraints.push_back(edge);
    Jolt.destroy(edge);
  }
  shared.CalculateEdgeLengths();
  shared.Optimize();

  const identity = new Jolt.Quat(0, 0, 0, 1);
  const sheets = world.origins.map((origin) => {
    const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(...origin), identity, MOVING);
    creation.mNumIterations = SUBSTEPS;
    creation.mLinearDamping = DAMPING;
    creation.mFriction = FRICTION;
    creation.mUpdatePosition = false;
    creation.mAllowSleeping = false;
    creation.mVertexRadius = 0;
    const body = bodies.CreateSoftBody(creation);
    bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
    return body;
  });
  const capsules = [];
  if (world.frames.length > 0) {
    const [, , , , , , , radius, half] = world.frames[0][0];
    const shape = new Jolt.CapsuleShape(half, radius);
    for (const origin of world.origins) {
      for (const c of world.frames[0]) {
        const place = new Jolt.RVec3(c[0] + origin[0], c[1] + origin[1], c[2] + origin[2]);
        const turn = new Jolt.Quat(c[3], c[4], c[5], c[6]);
        const creation = new Jolt.BodyCreationSettings(shape, place, turn, Jolt.EMotionType_Kinematic, FIXED);
        creation.mFriction = FRICTION;
        const body = bodies.CreateBody(creation);
        bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
        capsules.push(body.GetID());
      }
    }
  }
  const place = new Jolt.RVec3(0, 0, 0);
  const turn = new Jolt.Quat(0, 0, 0, 1);
  return {
    name: "jolt-wasm",
    bytesPerParticle: null,
    step(frame) {
      let next = 0;
      if (capsules.length > 0) {
        for (const origin of world.origins) {
          for (const c of world.frames[frame]) {
            place.Set(c[0] + origin[0], c[1] + origin[1], c[2] + origin[2]);
            turn.Set(c[3], c[4], c[5], c[6]);
            bodies.MoveKinematic(capsules[next++], place, turn, DT);
          }
        }
      }
      jolt.Step(DT, 1);
    },
    read(index, positions) {
      const motion = Jolt.castObject(sheets[index].GetMotionProperties(), Jolt.SoftBodyMotionProperties);
      const vertices = motion.GetVertices();
      for (let i = 0; i < vertices.size(); i++) {
        const p = vertices.at(i).mPosition;
        positions[3 * i] = p.GetX();
        positions[3 * i + 1] = p.GetY();
        positions[3 * i + 2] = p.GetZ();
      }
    },
  };
}

// -- The judge, as in tools/bench_sheet.c

function distance(p, i, q, j) {
  return Math.hypot(p[3 * i] - q[3 * j], p[3 * i + 1] - q[3 * j + 1], p[3 * i + 2] - q[3 * j + 2]);
}

function depthIn(c, x, y, z) {
  const axis = [2 * (c[3] * c[4] - c[6] * c[5]), 1 - 2 * (c[3] * c[3] + c[5] * c[5]), 2 * (c[4] * c[5] + c[6] * c[3])];
  let along = axis[0] * (x - c[0]) + axis[1] * (y - c[1]) + axis[2] * (z - c[2]);
  along = Math.max(-c[8], Math.min(c[8], along));
  return c[7] - Math.hypot(x - c[0] - along * axis[0], y - c[1] - along * axis[1], z - c[2] - along * axis[2]);
}

function judge(world, rest, positions, capsules, quality) {
  let sum = 0;
  let count = 0;
  for (const { a, b, kind } of world.links) {
    if (kind !== LINK_BEND) {
      const stretch = Math.abs(distance(positions, a, positions, b) / distance(rest, a, rest, b) - 1);
      sum += stretch;
      count++;
      quality.stretchMax = Math.max(quality.stretchMax, stretch);
    }
  }
  let deep = 0;
  for (let i = 0; capsules && i < world.particles.length; i++) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    deep += capsules.some((c) => depthIn(c, x, y, z) > 0.1 * world.spacing) ? 1 : 0;
  }
  quality.deep = Math.max(quality.deep, deep);
  quality.stretchSum += sum / count;
  quality.looks++;
}

// -- The run. Time on the core, as in the native half, of all threads: by the timed frames the compiler's are quiet.

function cpuMilliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e-3;
}

const [modulePath, worldPath, warmText, timedText] = process.argv.slice(2);
if (!timedText) {
  console.error("usage: node tools/bench_wasm.mjs hem.wasm WORLD WARM_FRAMES TIMED_FRAMES");
  process.exit(2);
}
const warm = Number(warmText);
const timed = Number(timedText);
const file = await readFile(worldPath);
const world = readWorld(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
const contestants = [await createHem(modulePath, world)];
try {
  contestants.push(await createJolt(world));
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") {
    throw error;
  }
  console.log("note jolt-physics is not installed (tools/deps bench brings it): no comparison in WebAssembly");
}
const rest = new Float32Array(world.particles.flatMap((particle) => particle.position));
const positions = new Float32Array(rest.length);
for (const c of contestants) {
  c.times = [];
  c.quality = { stretchSum: 0, stretchMax: 0, deep: 0, looks: 0 };
}
for (let frame = 0; frame < warm + timed; frame++) {
  for (const c of contestants) {
    const start = cpuMilliseconds();
    c.step(frame);
    if (frame >= warm) {
      c.times.push(cpuMilliseconds() - start);
    }
  }
  const t = frame - warm;
  if (t >= 0 && Math.floor(((t + 1) * LOOKS) / timed) !== Math.floor((t * LOOKS) / timed)) {
    for (const c of contestants) {
      c.read(0, positions);
      judge(world, rest, positions, world.frames[frame], c.quality);
    }
  }
}
for (const { name, times, quality, bytesPerParticle } of contestants) {
  times.sort((a, b) => a - b);
  const numbers = [times[times.length >> 1], times[Math.round(0.99 * (times.length - 1))], times[0],
    quality.stretchSum / quality.looks, quality.stretchMax, quality.deep, bytesPerParticle];
  console.log([name, ...numbers.map((x) => (x === null ? "-" : x.toPrecision(6)))].join(" "));
}

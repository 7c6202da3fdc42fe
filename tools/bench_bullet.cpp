// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

// Bullet's soft bodies as a contestant: the same particles and links, as many projections a frame.
//
// Four position iterations of one step, which is the cheaper way for Bullet to get to four projections per link: it
// looks for contacts once a frame. Everything else that costs is off: no faces (so no normals), no clusters, no drift
// or velocity iterations, no sleeping. Capsules are kinematic bodies met by the cloth's nodes (SDF_RS). With its defaults
// the cloth hangs as if they were not there: contacts with kinematic bodies take back a tenth of the depth (kKHR), and the
// distance field is sampled every 25 cm, three times the capsules' radius. Both are set to what the scene needs.
// Members are declared in the order that taking them down backwards is right.

namespace {

struct bullet_side {
    bench_world setup;
    int64_t held_before = 0;
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::unique_ptr<btCapsuleShape> capsule;
    std::vector<std::unique_ptr<btSoftBody>> sheets;
    std::vector<std::unique_ptr<btDefaultMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    ~bullet_side() {
        for (auto& body : bodies) {
            world.removeRigidBody(body.get());
        }
        for (auto& sheet : sheets) {
            world.removeSoftBody(sheet.get());
        }
    }
};

btTransform place(const bench_capsule& c, const float origin[3]) {
    return btTransform(btQuaternion(c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]),
                       btVector3(c.position[0] + origin[0], c.position[1] + origin[1], c.position[2] + origin[2]));
}

void add_sheet(bullet_side& side, int32_t instance) {
    const bench_sheet& s = *side.setup.sheet;
    float origin[3];
    bench_origin(instance, origin);
    std::vector<btVector3> positions;
    std::vector<btScalar> masses;
    for (int32_t i = 0; i < s.count; i++) {
        positions.emplace_back(s.positions[i][0] + origin[0], s.positions[i][1] + origin[1],
                               s.positions[i][2] + origin[2]);
        masses.push_back(s.pinned[i] != 0 ? 0.0f : s.mass[i]);
    }
    std::unique_ptr<btSoftBody> body(
        new btSoftBody(&side.world.getWorldInfo(), s.count, positions.data(), masses.data()));
    btSoftBody::Material* material = body->m_materials[0];
    material->m_kLST = 1;
    material->m_flags -= btSoftBody::fMaterial::DebugDraw;
    for (size_t i = 0; i < s.link_count; i++) {
        body->appendLink(static_cast<int>(s.links[i].a), static_cast<int>(s.links[i].b), material);
    }
    body->m_cfg.piterations = BENCH_SUBSTEPS;
    body->m_cfg.kDP = 1.0f - std::exp(-BENCH_DAMPING * BENCH_DT); // a share per step
    body->m_cfg.kKHR = 1.0f;
    body->m_cfg.kDF = BENCH_FRICTION;
    body->m_cfg.collisions = side.setup.variant == BENCH_CAPSULED ? btSoftBody::fCollision::SDF_RS : 0;
    body->getCollisionShape()->setMargin(BENCH_THICKNESS);
    body->setActivationState(DISABLE_DEACTIVATION);
    side.world.addSoftBody(body.get());
    side.sheets.push_back(std::move(body));
}

void add_capsules(bullet_side& side, int32_t instance) {
    bench_capsule capsules[BENCH_CAPSULES];
    bench_capsules_at(0.0f, capsules);
    float origin[3];
    bench_origin(instance, origin);
    for (const bench_capsule& c : capsules) {
        if (!side.capsule) {
            side.capsule.reset(new btCapsuleShape(c.radius, 2.0f * c.half));
        }
        side.motions.emplace_back(new btDefaultMotionState(place(c, origin)));
        btRigidBody::btRigidBodyConstructionInfo info(0.0f, side.motions.back().get(), side.capsule.get());
        info.m_friction = BENCH_FRICTION;
        std::unique_ptr<btRigidBody> body(new btRigidBody(info));
        body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
        body->setActivationState(DISABLE_DEACTIVATION);
        // Kinematic against the rest, never against each other.
        side.world.addRigidBody(body.get(), btBroadphaseProxy::KinematicFilter, btBroadphaseProxy::DefaultFilter);
        side.bodies.push_back(std::move(body));
    }
}

void* bullet_create(bench*, const bench_world* setup) {
    int64_t held = bench_allocated_size();
    bullet_side* side = new bullet_side;
    side->held_before = held;
    side->setup = *setup;
    btSoftBodyWorldInfo& info = side->world.getWorldInfo();
    side->world.setGravity(btVector3(0.0f, -9.81f, 0.0f));
    info.m_gravity.setValue(0.0f, -9.81f, 0.0f);
    info.air_density = 0.0f;
    info.m_dispatcher = &side->dispatcher;
    info.m_broadphase = &side->broadphase;
    info.m_sparsesdf.Initialize(); // sets the default spacing; Reset takes it over
    info.m_sparsesdf.setDefaultVoxelsz(0.02f);
    info.m_sparsesdf.Reset();
    for (int32_t i = 0; i < setup->instance_count; i++) {
        add_sheet(*side, i);
        if (setup->variant == BENCH_CAPSULED) {
            add_capsules(*side, i);
        }
    }
    return side;
}

void bullet_destroy(void* self) {
    delete static_cast<bullet_side*>(self);
}

void bullet_step(void* self, const bench_capsule* capsules) {
    bullet_side& side = *static_cast<bullet_side*>(self);
    if (capsules != nullptr) {
        for (int32_t i = 0; i < side.setup.instance_count; i++) {
            float origin[3];
            bench_origin(i, origin);
            for (int32_t k = 0; k < BENCH_CAPSULES; k++) {
                side.motions[static_cast<size_t>(i * BENCH_CAPSULES + k)]->setWorldTransform(
                    place(capsules[k], origin));
            }
        }
    }
    side.world.stepSimulation(BENCH_DT, 0);
}

void bullet_read(void* self, int32_t instance, float (*positions)[3]) {
    const bullet_side& side = *static_cast<const bullet_side*>(self);
    const btSoftBody& body = *side.sheets[static_cast<size_t>(instance)];
    float origin[3];
    bench_origin(instance, origin);
    for (int i = 0; i < body.m_nodes.size(); i++) {
        for (int k = 0; k < 3; k++) {
            positions[i][k] = body.m_nodes[i].m_x[k] - origin[k];
        }
    }
}

void bullet_describe(void* self, bench_result* result) {
    const bullet_side& side = *static_cast<const bullet_side*>(self);
    if (side.held_before >= 0) {
        result->bytes_per_particle = static_cast<double>(bench_allocated_size() - side.held_before) /
                                     (static_cast<double>(side.setup.sheet->count) * side.setup.instance_count);
    }
}

} // namespace

extern "C" {
extern const bench_engine bench_engine_bullet;
const bench_engine bench_engine_bullet = {"bullet",    bullet_create, bullet_destroy,
                                          bullet_step, bullet_read,   bullet_describe};
}

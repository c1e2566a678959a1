/** Programs that the tests call, and the Debian package of each. */
const testPackages: Record<string, string> = {
  caddy: 'caddy',
  chromium: 'chromium',
  curl: 'curl',
  git: 'git',
  ip: 'iproute2',
  nginx: 'nginx',
  pg_dump: 'postgresql-client',
  pgbouncer: 'pgbouncer',
  ps: 'procps',
  'systemd-analyze': 'systemd',
  zstd: 'zstd',
}

/** Programs that the drills call. */
export const drillPackages: Record<string, string> = { ...testPackages, 'firefox-esr': 'firefox-esr' }

/** Chromium without a window: halves the time of the browser tests. Optional, since not every Debian has it. */
const headlessShell = 'chromium-headless-shell'

const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends']

/**
 * Installs the missing packages as root on Debian. Elsewhere it lists them and exits with 1.
 * @param packageOf the package of each program
 * @throws nothing; exits with the code of `apt-get` if a required package cannot be installed
 */
export async function installMissingPackages(packageOf = testPackages) {
  const packages = Object.keys(packageOf)
    .filter((program) => Bun.which(program) === null)
    .map((program) => packageOf[program]!)
  const canInstall = process.getuid?.() === 0 && Bun.which('apt-get') !== null
  if (packages.length > 0 && !canInstall) {
    console.error(`The tests need these packages: apt-get install ${packages.join(' ')}`)
    process.exit(1)
  }
  if (!canInstall || (packages.length === 0 && Bun.which(headlessShell))) return
  const update = await run(['apt-get', 'update', '-qq'])
  if (packages.length > 0) {
    const code = await run([...install, ...packages])
    if (code !== 0) process.exit(code)
  }
  if (update === 0 && !Bun.which(headlessShell)) await run([...install, headlessShell])
}

/** Without questions: `apt-get` has nobody to ask. @returns the exit code */
function run(command: string[]): Promise<number> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return Bun.spawn(command, { env, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' }).exited
}

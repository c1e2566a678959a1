/**
 * Ports for servers that cannot take port 0. Each test process has its own range, below the ports that the system
 * assigns, so that no other process takes a port between its choice and the moment when its server listens.
 */
const [first, size, count] = [12_000, 50, 400]

type Range = { ports: string; release: () => void }

/**
 * @returns a range that no other process of this machine uses. Its first port serves as its lock: this process listens
 * on it.
 */
export function takePorts(): Range {
  for (let at = 0; at < count; at++) {
    const start = first + ((process.pid + at) % count) * size
    const lock = listen(start)
    if (lock) return { ports: `${start + 1}-${start + size - 1}`, release: () => lock.stop(true) }
  }
  throw new Error(`All ${count} ranges of ports are taken.`)
}

let own: { low: number; high: number; next: number } | null = null

function ownRange() {
  const [low = 0, high = 0] = (process.env.TEST_PORTS ?? takePorts().ports).split('-').map(Number)
  return { low, high, next: low }
}

/** The next free port of this process's range. */
export function freePort(): number {
  own ??= ownRange()
  for (let tried = own.low; tried <= own.high; tried++) {
    const port = own.next
    own.next = port === own.high ? own.low : port + 1
    const listener = listen(port)
    listener?.stop(true)
    if (listener) return port
  }
  throw new Error(`All ports from ${own.low} to ${own.high} are taken.`)
}

/** @returns null if the port is taken */
function listen(port: number) {
  try {
    const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    listener.unref()
    return listener
  } catch {
    return null
  }
}

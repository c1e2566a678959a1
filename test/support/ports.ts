/**
 * Ports for servers that cannot take port 0. Each test process has a range of its own, below the ports that the system
 * gives to others, so that nobody takes a port between the moment it is chosen and the moment its server listens.
 */
const [first, size, count] = [12_000, 50, 400]

type Range = { ports: string; release: () => void }

/** @returns a range that no process of this machine has. Its lock is its first port, on which this process listens. */
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

/** The next port of this process's range that is free. */
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

/** @returns null where the port is taken */
function listen(port: number) {
  try {
    const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    listener.unref()
    return listener
  } catch {
    return null
  }
}

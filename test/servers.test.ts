import { describe, expect, test } from 'bun:test'
import { newFolder } from './support/executable'
import { freePort, takePorts } from './support/ports'
import { startPostgres } from './support/postgres'
import { settled } from './support/rejection'
import { startServerProcess } from './support/server-process'

const range = (ports: string) => ports.split('-').map(Number) as [number, number]

describe('ports', () => {
  test('of two processes are others, as long as both run', () => {
    const [one, other] = [takePorts(), takePorts()]
    const [[low, high], [otherLow, otherHigh]] = [range(one.ports), range(other.ports)]
    expect(high < otherLow || otherHigh < low).toBe(true)
    one.release()
    other.release()
    const again = takePorts()
    expect(again.ports).toBe(one.ports)
    again.release()
  })

  test('that are taken are passed over, however often all of them are gone through', () => {
    const port = freePort()
    const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    const later = Array.from({ length: 60 }, freePort)
    expect(later).not.toContain(port)
    expect(new Set(later).size).toBe(48)
    listener.stop(true)
  })
})

describe('a wait', () => {
  test('ends with its server, and says what the server said', async () => {
    const server = startServerProcess('sh', ['-c', 'echo the port is taken >&2; exit 3'], { cwd: newFolder() })
    expect(await settled(server.untilReady('it answers', () => false))).toThrow(
      'It ended with 3, and still not: it answers\nthe port is taken\n',
    )
  })

  test('for PostgreSQL ends when its port is taken', async () => {
    const port = freePort()
    const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    expect(await settled(startPostgres({ port }))).toThrow(/could not bind IPv4 address "127\.0\.0\.1"/)
    listener.stop(true)
  })
})

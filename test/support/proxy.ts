import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ConnectionTarget } from '../../src/db/pool/open'
import { readUri } from '../../src/ops/settings/connection-uri'

/** A proxy between a client and PostgreSQL, on its own port, which can simulate network faults. */
export type Proxy = AsyncDisposable & {
  port: number
  /** The URL of the same database through the proxy. */
  target: ConnectionTarget
  /** The data that clients have sent, except cancel requests. */
  sent: () => string
  /**
   * From now on, the open connections transmit nothing in either direction, but stay open. New ones work.
   * @returns a function that closes them on both sides
   */
  silence: () => () => void
  /**
   * Once a client has sent a text that contains `words`, its connection is held: nothing passes, and nothing is lost.
   */
  holdAt: (words: string) => Hold
  /** From now on, cancel requests wait here. @returns a function that lets them through */
  holdCancels: () => () => void
  /** The number of cancel requests so far. */
  cancels: () => number
}

type Pair = { client: Socket; server: Socket }

export type Hold = { reached: Promise<void>; goOn: () => void }

/** The code of a cancel request (PostgreSQL's manual, 54.7): 1234 and 5678, after the length. */
const cancelCode = 80877102
const isCancel = (bytes: Buffer) => bytes.length === 16 && bytes.readInt32BE(4) === cancelCode

export async function startProxy(target: ConnectionTarget): Promise<Proxy> {
  const open = new Set<Pair>()
  let sent = ''
  let cancels = 0
  let isHolding = false
  let held: (() => void)[] = []
  let onSent: ((text: string, pair: Pair) => void) | null = null
  const server = createServer((client) => {
    const toServer = connect(addressOf(target))
    const pair = { client, server: toServer }
    open.add(pair)
    client.on('data', (bytes: Buffer) => {
      if (!open.has(pair)) return
      if (!isCancel(bytes)) {
        const text = bytes.toString('latin1')
        sent += text
        toServer.write(bytes)
        return onSent?.(text, pair)
      }
      cancels++
      if (isHolding) held.push(() => toServer.write(bytes))
      else toServer.write(bytes)
    })
    toServer.on('data', (bytes: Buffer) => void (open.has(pair) && client.write(bytes)))
    for (const [one, other] of [[client, toServer] as const, [toServer, client] as const]) {
      one.on('error', () => {})
      one.on('close', () => void (open.delete(pair) && other.destroy()))
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const [user, database] = 'uri' in target ? [target.uri.user, target.uri.database] : [target.user, target.database]
  const sockets: Socket[] = []
  return {
    port,
    target: { uri: { ...readUri(`postgres://127.0.0.1:${port}/?sslmode=disable`), user, database, ...passwordOf(target) } },
    sent: () => sent,
    silence: () => {
      const silent = [...open].flatMap(({ client, server }) => [client, server])
      sockets.push(...silent)
      open.clear()
      return () => {
        for (const socket of silent) socket.destroy()
      }
    },
    holdAt: (words) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let stopped: Socket[] = []
      onSent = (text, pair) => {
        if (!text.includes(words)) return
        onSent = null
        stopped = [pair.client, pair.server]
        for (const socket of stopped) socket.pause()
        resolve()
      }
      return {
        reached: promise,
        goOn: () => {
          for (const socket of stopped) socket.resume()
        },
      }
    },
    holdCancels: () => {
      isHolding = true
      return () => {
        isHolding = false
        for (const pass of held) pass()
        held = []
      }
    },
    cancels: () => cancels,
    [Symbol.asyncDispose]: async () => {
      for (const pair of open) sockets.push(pair.client, pair.server)
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

const addressOf = (target: ConnectionTarget) =>
  'uri' in target ? { host: target.uri.hosts[0]!, port: target.uri.ports[0]! } : { path: target.socketPath }

const passwordOf = (target: ConnectionTarget) => ('uri' in target ? { password: target.uri.password } : {})

import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { Config } from '../ops/config'

/**
 * Where a request really comes from, and the address that the caller used: `host` as it was sent, `origin` as it is
 * known to browsers.
 */
export type Peer = Readonly<{
  address: string
  host: string
  origin: string
  isHttps: boolean
  /** The peer that forwards this request without being among the trusted proxies; null for all others. */
  strangeProxy: string | null
}>

type PeerConfig = Pick<Config, 'publicUrl' | 'trustedProxies'>

/**
 * Forwarded headers count only when the peer is a trusted proxy, and then from the right: the last address that is not
 * a proxy's is the caller (SEC-21, SEC-37). Nothing is found out before it is asked for: most reads need none of it.
 * @param addressOf asks the socket, which is a call of the system: once, when it is needed
 */
export const readPeer = (headers: Headers, addressOf: () => string, config: PeerConfig): Peer => new Sender(headers, addressOf, config)

class Sender implements Peer {
  #direct: string | undefined

  constructor(
    private readonly headers: Headers,
    private readonly addressOf: () => string,
    private readonly config: PeerConfig,
  ) {
    // A sender that has gone has no address any more, and whether it was a proxy decides about all that it forwards.
    if (config.trustedProxies) this.#direct = unmapped(addressOf())
  }

  get address(): string {
    const proxies = this.#proxies
    return proxies ? forwardedFor(this.headers, this.#socket, proxies) : this.#socket
  }

  get host(): string {
    return (this.#proxies && lastOf(this.headers.get('x-forwarded-host'))) || this.headers.get('host') || 'localhost'
  }

  get origin(): string {
    return this.config.publicUrl ?? `${this.#protocol}://${this.host}`
  }

  get isHttps(): boolean {
    return (this.config.publicUrl ?? this.#protocol).startsWith('https')
  }

  get strangeProxy(): string | null {
    if (!this.headers.has('x-forwarded-for')) return null
    return this.#proxies || this.#socket === '' ? null : this.#socket
  }

  get #protocol(): string {
    return this.#proxies && lastOf(this.headers.get('x-forwarded-proto'))?.toLowerCase() === 'https' ? 'https' : 'http'
  }

  /** Where the request came through one of them. */
  get #proxies(): BlockList | undefined {
    const { trustedProxies } = this.config
    return trustedProxies && isProxy(trustedProxies, this.#socket) ? trustedProxies : undefined
  }

  get #socket(): string {
    this.#direct ??= unmapped(this.addressOf())
    return this.#direct
  }
}

const lastOf = (list: string | null) => list?.split(',').at(-1)?.trim()

function forwardedFor(headers: Headers, direct: string, proxies: BlockList): string {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => unmapped(hop.trim()))
  const caller = hops.findLast((hop) => !isProxy(proxies, hop))
  return caller && isIP(caller) ? caller : direct
}

function isProxy(proxies: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && proxies.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** `::ffff:192.0.2.1` is 192.0.2.1, in every spelling (SEC-20). */
function unmapped(address: string): string {
  if (!address.includes(':') || !isIPv6(address) || !/ffff/i.test(address)) return address
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  if (!high || !low) return address
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}

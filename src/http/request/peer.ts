import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { Config } from '../../ops/settings/config'

/**
 * The real source of a request, and the URL that the caller used: `host` as it was sent, `origin` as browsers see it.
 */
export type Peer = Readonly<{
  address: string
  host: string
  origin: string
  isHttps: boolean
  /** The peer, if it forwards this request without being a trusted proxy; otherwise null. */
  strangeProxy: string | null
}>

type PeerConfig = Pick<Config, 'publicUrl' | 'trustedProxies'>

/**
 * Forwarded headers count only if the peer is a trusted proxy, and then from the right: the last IP that is not a
 * proxy's is the caller's (SEC-21, SEC-37). Everything is computed on demand: most reads do not need it.
 * @param addressOf asks the socket, which is a system call: made once, when needed
 */
export const readPeer = (headers: Headers, addressOf: () => string, config: PeerConfig): Peer => new Sender(headers, addressOf, config)

class Sender implements Peer {
  #direct: string | undefined

  constructor(
    private readonly headers: Headers,
    private readonly addressOf: () => string,
    private readonly config: PeerConfig,
  ) {
    // After a disconnect the socket has no IP any more, and the IP decides whether forwarded headers count.
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

  /** Set if the request came through a trusted proxy. */
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
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => unmapped(withoutPort(hop.trim())))
  const caller = hops.findLast((hop) => !isProxy(proxies, hop))
  return caller && isIP(caller) ? caller : direct
}

/** Some gateways also send the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => hop.replace(/^(?:\[([0-9a-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/i, '$1$2')

function isProxy(proxies: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && proxies.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** `::ffff:192.0.2.1` is 192.0.2.1, in every notation (SEC-20). */
function unmapped(address: string): string {
  if (!address.includes(':') || !isIPv6(address) || !/ffff/i.test(address)) return address
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  if (!high || !low) return address
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}

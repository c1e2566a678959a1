import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { Config } from '../ops/config'

/** Where a request really comes from, and the address that the caller used: `host` as it was sent, `origin` as it is known to browsers. */
export type Peer = { address: string; host: string; origin: string; isHttps: boolean }

/**
 * Forwarded headers count only when the peer is a trusted proxy, and then from the right: the last address
 * that is not a proxy's is the caller (SEC-21, SEC-37).
 * @param addressOf asks the socket, which is a call of the system and for most reads of no use: once, when it is needed
 */
export function readPeer(headers: Headers, addressOf: () => string, { publicUrl, trustedProxies }: PeerConfig): Peer {
  let known: string | undefined
  const direct = () => (known ??= unmapped(addressOf()))
  const isTrusted = trustedProxies !== undefined && isProxy(trustedProxies, direct())
  const protocol = isTrusted && headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = (isTrusted && headers.get('x-forwarded-host')?.split(',').at(-1)?.trim()) || headers.get('host') || 'localhost'
  const origin = publicUrl ?? `${protocol}://${host}`
  return {
    get address() {
      return isTrusted ? forwardedFor(headers, direct(), trustedProxies) : direct()
    },
    host,
    origin,
    isHttps: origin.startsWith('https://'),
  }
}

type PeerConfig = Pick<Config, 'publicUrl' | 'trustedProxies'>

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

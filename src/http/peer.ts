import { type BlockList, isIP } from 'node:net'
import type { Config } from '../ops/config'

/** Where a request really comes from, and the address that the caller used. */
export type Peer = { address: string; origin: string; isHttps: boolean }

/**
 * Forwarded headers count only when the peer is a trusted proxy, and then from the right: the last address
 * that is not a proxy's is the caller (SEC-21, SEC-37).
 */
export function readPeer(headers: Headers, socketAddress: string, config: Pick<Config, 'publicUrl' | 'trustedProxies'>): Peer {
  const direct = unmapped(socketAddress)
  const isTrusted = isProxy(config.trustedProxies, direct)
  const protocol = isTrusted && headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = (isTrusted && headers.get('x-forwarded-host')?.split(',').at(-1)?.trim()) || headers.get('host') || 'localhost'
  const origin = config.publicUrl ?? `${protocol}://${host}`
  return {
    address: isTrusted ? forwardedFor(headers, direct, config.trustedProxies) : direct,
    origin,
    isHttps: origin.startsWith('https://'),
  }
}

function forwardedFor(headers: Headers, direct: string, proxies: BlockList | undefined): string {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => unmapped(hop.trim()))
  const caller = hops.findLast((hop) => !isProxy(proxies, hop))
  return caller && isIP(caller) ? caller : direct
}

function isProxy(proxies: BlockList | undefined, address: string): boolean {
  const version = isIP(address)
  return !!proxies && version !== 0 && proxies.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
const unmapped = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address)

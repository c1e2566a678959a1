import type { Actor } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { unavailable } from '../../errors'
import type { RequestInfo } from '../../http/request/request-info'
import { translatable } from '../../messages/message'
import { countOpening, findLink, type StoredLink } from '../store'
import { createGrants, grantSeconds } from './grants'
import { requireLinkPassword } from './password'
import { closedLink } from './refusal'

export type OpeningDeps = Pick<Deps, 'db' | 'lookup' | 'passwords' | 'throttle' | 'events'>

/** The parts of a request that open a link. `grant` and `cookie` come from an earlier opening. */
export type Visit = {
  secret: string
  grant: string
  cookie: string
  password: string | null
  isPrefetch: boolean
  /** Whether only the headers are requested. */
  isHead: boolean
  info: RequestInfo
}

/**
 * An open link, and its issuer with their current rights. `grant` goes into the URLs of files and further pages; null
 * if a cookie replaces it.
 */
export type Opening = {
  link: StoredLink
  actor: Actor
  grant: string | null
  /** Counts the opening, after its target has been read. @throws Failure not_found if none is left */
  count: () => Promise<void>
}

export type Openings = {
  /** Opens the link itself. @throws Failure not_found, too_many_requests, unavailable */
  open: (visit: Visit) => Promise<Opening>
  /** Opens a file of a link that has been opened. @throws Failure not_found */
  reopen: (visit: Visit) => Promise<Opening>
  /** @returns the cookie that replaces the password. @throws like `open` */
  unlock: (visit: Visit) => Promise<{ grant: string; seconds: number }>
}

export function createOpenings(deps: OpeningDeps): Openings {
  const { db, lookup } = deps
  const grants = createGrants(db)

  const requireIssuer = async ({ userId, tokenId }: StoredLink, info: RequestInfo): Promise<Actor> => {
    const actor = await lookup.issuer(userId, tokenId)
    if (!actor) throw closedLink()
    // All links of one user share one share of the connections, separate from the user's own.
    info.scope.caller = `links of ${userId}`
    return actor
  }

  /** The grant of an earlier opening of this link; an expired one, or one of another link, is ignored. */
  const grantOf = async (link: StoredLink, { grant, cookie }: Visit): Promise<{ value: string; isCookie: boolean } | null> => {
    if (cookie !== '' && (await grants.isValid(link.id, cookie))) return { value: cookie, isCookie: true }
    return grant !== '' && (await grants.isValid(link.id, grant)) ? { value: grant, isCookie: false } : null
  }

  const count = async ({ id }: StoredLink, { info }: Visit) => {
    if (!(await countOpening(db, id, info.address))) throw closedLink()
  }

  /** If a password is sent, it is always checked, whether or not the link exists; otherwise nothing is checked. */
  const requirePassword = (link: StoredLink | null, { secret, password, info }: Visit): Promise<void> =>
    password === null ? Promise.reject(closedLink()) : requireLinkPassword(deps, { secret, link, password, address: info.address })

  const open = async (visit: Visit): Promise<Opening> => {
    // A prefetch has no reader, and the page could later be displayed without being counted.
    if (visit.isPrefetch) throw unavailable(translatable('Share links cannot be prefetched.'))
    const link = await findLink(db, visit.secret)
    const access = link && isOpenStill(link) ? await grantOf(link, visit) : null
    if (link && access)
      return { link, actor: await requireIssuer(link, visit.info), grant: access.isCookie ? null : access.value, count: async () => {} }
    const needsNone = link?.state === 'active' && link.passwordHash === null
    if (!needsNone) await requirePassword(link, visit)
    if (link?.state !== 'active') throw closedLink()
    return {
      link,
      actor: await requireIssuer(link, visit.info),
      grant: await grants.issue(link.id),
      count: () => (visit.isHead ? Promise.resolve() : count(link, visit)),
    }
  }

  const reopen = async (visit: Visit): Promise<Opening> => {
    const link = await findLink(db, visit.secret)
    const access = link && isOpenStill(link) ? await grantOf(link, visit) : null
    if (!link || !(access || isFree(link))) throw closedLink()
    return {
      link,
      actor: await requireIssuer(link, visit.info),
      grant: access && !access.isCookie ? access.value : null,
      count: async () => {},
    }
  }

  const unlock = async (visit: Visit) => {
    const link = await findLink(db, visit.secret)
    await requirePassword(link, visit)
    await count(link!, visit)
    return { grant: await grants.issue(link!.id), seconds: grantSeconds }
  }
  return { open, reopen, unlock }
}

/** A visitor who opened a link in time may read on after it has been used up. */
const isOpenStill = ({ state }: StoredLink): boolean => state === 'active' || state === 'usedUp'

/** Whether the link requires only its secret: then its files are available as long as the link is. */
const isFree = ({ state, passwordHash, maxOpens }: StoredLink): boolean => state === 'active' && passwordHash === null && maxOpens === null

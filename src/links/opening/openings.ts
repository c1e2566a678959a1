import type { Actor } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { unavailable } from '../../errors'
import type { RequestInfo } from '../../http/request-info'
import { translatable } from '../../messages/message'
import { countOpening, findLink, type StoredLink } from '../store'
import { createGrants, grantSeconds } from './grants'
import { requireLinkPassword } from './password'
import { closedLink } from './refusal'

export type OpeningDeps = Pick<Deps, 'db' | 'lookup' | 'passwords' | 'throttle' | 'events'>

/** What of a request opens a link. `grant` and `cookie` are what an earlier opening gave. */
export type Visit = {
  secret: string
  grant: string
  cookie: string
  password: string | null
  isPrefetch: boolean
  /** Whether only the headers are wanted. */
  isHead: boolean
  info: RequestInfo
}

/**
 * A link that is open, and its issuer with the rights of now. `grant` goes into the addresses of files and following
 * pages; null where a cookie stands for it.
 */
export type Opening = {
  link: StoredLink
  actor: Actor
  grant: string | null
  /** Counts it, when what it shows has been read. @throws Failure not_found where none is left */
  count: () => Promise<void>
}

export type Openings = {
  /** The link itself. @throws Failure not_found, too_many_requests, unavailable */
  open: (visit: Visit) => Promise<Opening>
  /** A file of a link that has been opened. @throws Failure not_found */
  reopen: (visit: Visit) => Promise<Opening>
  /** @returns the cookie that stands for the password. @throws as `open` */
  unlock: (visit: Visit) => Promise<{ grant: string; seconds: number }>
}

export function createOpenings(deps: OpeningDeps): Openings {
  const { db, lookup } = deps
  const grants = createGrants(db)

  const requireIssuer = async ({ userId, tokenId }: StoredLink, info: RequestInfo): Promise<Actor> => {
    const actor = await lookup.issuer(userId, tokenId)
    if (!actor) throw closedLink()
    // All links of one user share one share of the connections, which is not the user's own.
    info.scope.caller = `links of ${userId}`
    return actor
  }

  /** What an earlier opening of this link gave; an older one, or one of another link, is as none. */
  const grantOf = async (link: StoredLink, { grant, cookie }: Visit): Promise<{ value: string; isCookie: boolean } | null> => {
    if (cookie !== '' && (await grants.isValid(link.id, cookie))) return { value: cookie, isCookie: true }
    return grant !== '' && (await grants.isValid(link.id, grant)) ? { value: grant, isCookie: false } : null
  }

  const count = async ({ id }: StoredLink, { info }: Visit) => {
    if (!(await countOpening(db, id, info.address))) throw closedLink()
  }

  /** A password that was sent is checked, whatever there is to open; without one nothing is. */
  const requirePassword = (link: StoredLink | null, { secret, password, info }: Visit): Promise<void> =>
    password === null ? Promise.reject(closedLink()) : requireLinkPassword(deps, { secret, link, password, address: info.address })

  const open = async (visit: Visit): Promise<Opening> => {
    // What a browser loads beforehand is not seen yet by anybody, and would be seen without being counted.
    if (visit.isPrefetch) throw unavailable(translatable('A link is not opened beforehand.'))
    const link = await findLink(db, visit.secret)
    const known = link && isOpenStill(link) ? await grantOf(link, visit) : null
    if (link && known)
      return { link, actor: await requireIssuer(link, visit.info), grant: known.isCookie ? null : known.value, count: async () => {} }
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
    const known = link && isOpenStill(link) ? await grantOf(link, visit) : null
    if (!link || !(known || isFree(link))) throw closedLink()
    return {
      link,
      actor: await requireIssuer(link, visit.info),
      grant: known && !known.isCookie ? known.value : null,
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

/** Whoever opened a link in time reads on, though it opens for nobody else any more. */
const isOpenStill = ({ state }: StoredLink): boolean => state === 'active' || state === 'usedUp'

/** Whether nothing but its secret is asked for: then its files stay open as long as the link. */
const isFree = ({ state, passwordHash, maxOpens }: StoredLink): boolean => state === 'active' && passwordHash === null && maxOpens === null

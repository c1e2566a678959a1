import { createContext } from 'react'
import { queryClient, tablesQuery } from '../../api/queries'
import { isUnreachable, waitUntilReachable } from '../../api/reachability'
import { usersSource } from './cell-kinds'
import { fetchLabels } from './linked-records'
import { peopleQuery } from './people'

/** Limits the retries: a proxy may report a service as ready although it never answers in time. */
const maxFailures = 5

/**
 * The labels of linked records and users, by source and key. Requested in batches and cached for the lifetime of the
 * page.
 */
class LinkLabels {
  private readonly cache = new Map<string, string | null>()
  /** Cached labels that are requested again when they are displayed next. */
  private readonly stale = new Set<string>()
  private readonly requested = new Map<string, Set<string>>()
  private readonly listeners = new Set<() => void>()
  /** The number of consecutive requests that the service did not answer. */
  private failures = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The cached label; null if it has to be requested first. */
  labelOf(tableId: string, key: string): string | null {
    const id = `${tableId} ${key}`
    const label = this.cache.get(id)
    if (label !== undefined && !this.stale.delete(id)) return label
    if (label === undefined) this.cache.set(id, null)
    this.request(tableId, key)
    this.timer ??= setTimeout(() => void this.fetchRequested(), 10)
    return label ?? null
  }

  /** Whether a label is cached. A record that cannot be read has no label, and counts as cached once requested. */
  has = (tableId: string, key: string): boolean => this.cache.has(`${tableId} ${key}`) && !this.requested.get(tableId)?.has(key)

  /** Requests the labels that are not cached, and waits for them. */
  async load(tableId: string, keys: readonly string[]): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !this.cache.get(`${tableId} ${key}`))
    for (const key of missing) this.cache.set(`${tableId} ${key}`, null)
    if (missing.length > 0) await this.fetchFrom(tableId, missing)
  }

  /** Requests each label again when it is displayed next. */
  readonly expire = () => {
    for (const id of this.cache.keys()) this.stale.add(id)
  }

  /** Requests displayed labels again, and the others when they are displayed. */
  refresh() {
    this.expire()
    this.notify()
  }

  set(tableId: string, key: string, label: string) {
    this.cache.set(`${tableId} ${key}`, label)
    this.notify()
  }

  private request(tableId: string, key: string) {
    this.requested.set(tableId, (this.requested.get(tableId) ?? new Set()).add(key))
  }

  private async fetchRequested() {
    this.timer = undefined
    const all = [...this.requested]
    this.requested.clear()
    // A record that cannot be read is displayed by its key.
    await Promise.allSettled(all.map(([tableId, keys]) => this.fetchFrom(tableId, [...keys])))
  }

  /** Requests labels. If the service does not answer, repeats the request once it does. @throws ApiError, TypeError */
  private async fetchFrom(tableId: string, keys: string[]) {
    try {
      await (tableId === usersSource ? this.fetchUsers() : this.fetchLinked(tableId, keys))
      this.failures = 0
      this.notify()
    } catch (error) {
      if (isUnreachable(error) && this.failures++ < maxFailures) {
        for (const key of keys) this.request(tableId, key)
        void waitUntilReachable().then(() => this.fetchRequested())
      }
      throw error
    }
  }

  private async fetchLinked(tableId: string, keys: string[]) {
    const table = (await queryClient.ensureQueryData(tablesQuery)).find(({ id }) => id === tableId)
    if (!table?.primaryKey.length) return
    for (const { value, label } of await fetchLabels(table, keys)) this.cache.set(`${tableId} ${value}`, label)
  }

  private async fetchUsers() {
    for (const { id, name } of await queryClient.fetchQuery(peopleQuery)) this.cache.set(`${usersSource} ${id}`, name)
  }

  private notify() {
    for (const listener of this.listeners) listener()
  }
}

export const linkLabels = new LinkLabels()

export const LinkLabelsContext = createContext(linkLabels)

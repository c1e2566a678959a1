import { readItem, writeItem } from './storage'

const key = 'rowhouse-collapsed-groups'
const maxRemembered = 100

/** The headings of the sidebar that are collapsed in this browser. */
export function readCollapsedGroups(): readonly string[] {
  const value = readItem(key)
  return Array.isArray(value) ? value : []
}

export const rememberCollapsedGroups = (groups: readonly string[]) => writeItem(key, groups.slice(-maxRemembered))

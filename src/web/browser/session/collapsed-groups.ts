const key = 'rowhouse-collapsed-groups'
const maxRemembered = 100

/** The headings of the sidebar that are collapsed in this browser. */
export function readCollapsedGroups(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    // Storage can be forbidden, or hold what something else wrote.
    return []
  }
}

export function rememberCollapsedGroups(groups: readonly string[]) {
  try {
    localStorage.setItem(key, JSON.stringify(groups.slice(-maxRemembered)))
  } catch {
    // Without storage all groups are expanded after a reload.
  }
}

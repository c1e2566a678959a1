import { throwRestFailure } from '../errors/failure'

/** The preferences of the header `Prefer` (RFC 7240) that PostgREST knows. */
export type Preferences = {
  resolution?: 'merge-duplicates' | 'ignore-duplicates'
  missing?: 'default' | 'null'
  return?: 'representation' | 'minimal' | 'headers-only'
  count?: 'exact' | 'planned' | 'estimated'
  tx?: 'commit' | 'rollback'
  handling?: 'strict' | 'lenient'
  maxAffected?: number
}

type ChoicePreference = Exclude<keyof Preferences, 'maxAffected'>

const choices: Record<ChoicePreference, readonly string[]> = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  handling: ['strict', 'lenient'],
}

const maxAffectedForm = /^max-affected=(\d{1,15})$/
const noPreferences: Preferences = Object.freeze({})

/**
 * The first of duplicate preferences wins; unknown ones are ignored.
 * @throws RestFailure PGRST122 for an unknown preference with `handling=strict`
 */
export function readPreferences(header: string | null): Preferences {
  if (!header) return noPreferences
  const preferences: Preferences = {}
  const unknown = header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !readPreference(preferences, part))
  if (unknown.length && preferences.handling === 'strict') throwUnknownPreference(unknown)
  // PostgREST applies this limit only with strict handling.
  if (preferences.handling !== 'strict') delete preferences.maxAffected
  return preferences
}

function readPreference(preferences: Preferences, part: string): boolean {
  const [, most] = maxAffectedForm.exec(part) ?? []
  if (most !== undefined) {
    preferences.maxAffected ??= Number(most)
    return true
  }
  const [name = '', value = ''] = part.split('=')
  if (!Object.hasOwn(choices, name) || !choices[name as ChoicePreference].includes(value)) return false
  const known = preferences as Record<string, string>
  known[name] ??= value
  return true
}

/** Names only: a value may be anything. */
function throwUnknownPreference(unknown: readonly string[]): never {
  const names = unknown.map((part) => part.split('=')[0]!.slice(0, 50)).filter((name) => /^[\w-]+$/.test(name))
  return throwRestFailure(
    400,
    'PGRST122',
    'Invalid preferences given with handling=strict',
    `Invalid preferences: ${names.join(', ') || 'unreadable'}`,
  )
}

const appliedOrder = ['resolution', 'missing', 'return', 'count', 'tx', 'handling'] as const

/** `Preference-Applied` for those that this kind of request supports, or undefined if there are none. */
export function appliedPreferences(preferences: Preferences, applicable: readonly (keyof Preferences)[]): string | undefined {
  const applied = appliedOrder
    .filter((name) => applicable.includes(name) && preferences[name])
    .map((name) => `${name}=${preferences[name]}`)
  if (preferences.maxAffected !== undefined && applicable.includes('maxAffected')) applied.push(`max-affected=${preferences.maxAffected}`)
  return applied.length ? applied.join(', ') : undefined
}

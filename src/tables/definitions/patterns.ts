import { sqlState } from '../../db/errors'
import type { Query } from '../../db/pool/open'
import { validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { ColumnDescription } from '../ddl'

/**
 * Only PostgreSQL can check its regular expressions.
 * @throws Failure validation_failed if it cannot parse one, or if the default does not match
 */
export async function checkPattern(query: Query, { options, default: value }: ColumnDescription, path: string): Promise<void> {
  const { pattern } = options
  if (typeof pattern !== 'string') return
  try {
    const [row] = await query<{ fits: boolean }>('select $1::text ~ $2::text as fits', [String(value ?? ''), pattern])
    if (!row!.fits && (value ?? null) !== null) {
      throw validationFailed([{ path: `${path}/default`, message: translatable('The default does not match the pattern.') }])
    }
  } catch (error) {
    if (sqlState(error) !== '2201B') throw error
    throw validationFailed([
      { path: `${path}/options/pattern`, message: translatable('PostgreSQL cannot read this as a regular expression.') },
    ])
  }
}

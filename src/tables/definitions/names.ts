import type { Problem } from '../../errors'
import { translatable } from '../../messages/message'
import { textProblem } from '../column-types/text'
import { isUuid } from '../column-types/uuid'

const maxNameBytes = 63

/** PostgreSQL's manual, 5.6: every table has these already. */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

function nameProblems(name: string, path: string): Problem[] {
  const problem = textProblem(name)
  if (problem) return [{ path, message: translatable('The name {problem}.', { problem }) }]
  if (Buffer.byteLength(name) > maxNameBytes)
    return [{ path, message: translatable('A name has at most {maxNameBytes} bytes in UTF-8.', { maxNameBytes }) }]
  return name.trim() === '' ? [{ path, message: translatable('A name needs a visible character.') }] : []
}

export function tableNameProblems(name: string, path: string): Problem[] {
  if (['.', '..'].includes(name)) return [{ path, message: translatable('No URL could name this table; choose another name.') }]
  if (isUuid(name))
    return [{ path, message: translatable('A table’s name may not be a UUID, since tables are also addressed by their ids.') }]
  return nameProblems(name, path)
}

export function columnNameProblems(name: string, path: string): Problem[] {
  return systemColumns.includes(name) ? [{ path, message: translatable('PostgreSQL reserves this name.') }] : nameProblems(name, path)
}

/** @param section null or undefined for no section */
export function sectionProblems(section: string | null | undefined): Problem[] {
  if (section === null || section === undefined) return []
  if (section.trim() !== '' && section.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(section)) return []
  return [{ path: '/section', message: translatable('A section needs at least one visible character, and no control characters.') }]
}

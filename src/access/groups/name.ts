import { validationFailed } from '../../errors'
import { translatable } from '../../messages/message'

/** Words with a special meaning in the access document and its rules, in upper or lower case. */
const reserved = /^(everyone$|role:|@)/i

/**
 * The name of a group without surrounding spaces.
 * @throws Failure validation_failed
 */
export function readGroupName(text: string): string {
  const name = text.trim()
  if (name === '' || !name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    throw validationFailed([
      { path: '/name', message: translatable('The name of a group needs at least one visible character, and no control characters.') },
    ])
  if (reserved.test(name))
    throw validationFailed([
      { path: '/name', message: translatable('The name of a group cannot be "everyone" and cannot begin with "role:" or "@".') },
    ])
  return name
}

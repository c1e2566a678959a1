import type { Actor } from '../../../auth/identity/actor'
import { Failure, type Problem, validationFailed } from '../../../errors'
import { translatable } from '../../../messages/message'
import { type Catalog, getTable } from '../catalog'

/**
 * The ids of tables that the caller named by id or by name, without duplicates.
 * @param path the place of the list in the caller's body, for example `/tables`
 * @throws Failure validation_failed with every unknown table, and the nearest name
 */
export async function tableIds(catalog: Catalog, actor: Actor, references: string[], path: string): Promise<string[]> {
  const found = await Promise.all(references.map((reference, index) => idOf(catalog, actor, reference, `${path}/${index}`)))
  const problems = found.filter((each) => typeof each !== 'string')
  if (problems.length) throw validationFailed(problems)
  return [...new Set(found as string[])]
}

async function idOf(catalog: Catalog, actor: Actor, reference: string, path: string): Promise<string | Problem> {
  try {
    return (await getTable(catalog, actor, reference)).id
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return {
      path,
      message: error.extras.hint ? translatable('{message} {hint}', { message: error.text, hint: error.extras.hint }) : error.text,
    }
  }
}

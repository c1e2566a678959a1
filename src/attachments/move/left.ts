import type { MoveState } from './begin'
import type { FileMove } from './file-move'
import { type Counted, countAll, countPresent, countUnmoved } from './ledger'
import { pagesOf } from './pages'

/**
 * The number of files and bytes to copy. A name of the right size in the target counts as that file until it is
 * compared.
 */
export async function countLeft({ db, target, signal }: Pick<FileMove, 'db' | 'target' | 'signal'>, state: MoveState): Promise<Counted> {
  if (state.stage === 'switched') return { files: 0, bytes: 0 }
  if (state.stage === 'resumed') return countUnmoved(db.query)
  const left = await countAll(db.query)
  for await (const page of pagesOf(target, signal)) {
    const { files, bytes } = await countPresent(db.query, page)
    left.files -= files
    left.bytes -= bytes
  }
  return left
}

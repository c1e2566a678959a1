import type { MoveState } from './begin'
import type { FileMove } from './file-move'
import { type Counted, countAll, countPresent, countUnmoved } from './ledger'
import { pagesOf } from './pages'

/**
 * How much there is to bring. What lies in the target under its name and with its size is taken for that file until it
 * is compared.
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

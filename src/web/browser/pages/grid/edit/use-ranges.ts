import { useState } from 'react'
import { useStrings } from '../../../language'
import { useGridModel } from '../model/grid-model'
import type { CopiedCells } from './clipboard-formats'
import { type MissingNamesQuestion, Paste, type PasteQuestion } from './paste'
import { RangeEdits } from './range-edits'
import type { useDraftRows } from './use-draft-rows'

type RangesOptions = { undo: () => void; createTogether: ReturnType<typeof useDraftRows>['createTogether'] }

/** The edits of ranges of cells, and the questions of a paste. */
export function useRanges({ undo, createTogether }: RangesOptions) {
  const { grid } = useStrings()
  const [question, setQuestion] = useState<PasteQuestion | null>(null)
  const [missingNames, setMissingNames] = useState<MissingNamesQuestion | null>(null)
  const edits = new RangeEdits(useGridModel(), grid, undo)
  const { clear, fill, fillSelection } = edits
  return {
    clear,
    fill,
    fillSelection,
    paste: (copied: CopiedCells) => new Paste(edits, copied, { createTogether, ask: setQuestion, askForNames: setMissingNames }).start(),
    question,
    closeQuestion: () => setQuestion(null),
    missingNames,
    closeMissingNames: () => setMissingNames(null),
  }
}

export type Ranges = ReturnType<typeof useRanges>

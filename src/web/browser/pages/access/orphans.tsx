import { Button } from '@mantine/core'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import { groupLabel, tableLabel } from './line-words'
import type { Line } from './lines'

type OrphanListProps = { orphans: readonly Line[]; tables: readonly TableView[]; remove: (line: Line) => void }

/** Lines without a cell, because their group or table does not exist. */
export function OrphanList({ orphans, tables, remove }: OrphanListProps) {
  const strings = useStrings()
  const { access } = strings
  return (
    <section aria-label={access.orphans}>
      <h3>{access.orphans}</h3>
      <p className="soft">{access.orphansText}</p>
      <ul className="rows">
        {orphans.map((line) => (
          <li key={line.id}>
            <div>
              {access.lineOf(groupLabel(line.group, strings), tableLabel(line.table, tables, strings))}
              <p className="alert">{Object.values(line.problems).join(' ')}</p>
            </div>
            <Button variant="default" size="xs" onClick={() => remove(line)}>
              {access.removeLine}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

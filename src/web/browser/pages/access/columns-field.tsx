import { Checkbox, NativeSelect } from '@mantine/core'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import type { Line } from './lines'

type ColumnsFieldProps = {
  table: TableView
  columns: Line['columns']
  problem: string | undefined
  change: (columns: Line['columns']) => void
}

/** The columns that a line lets its group read, and those that the group can change. Without a list: all columns. */
export function ColumnsField({ table, columns, problem, change }: ColumnsFieldProps) {
  const { access } = useStrings()
  const isKey = (name: string) => table.primaryKey.includes(name)
  const all = table.columns.map(({ name }) => name)
  const writable = table.columns.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
  const { read = all, write = writable } = columns ?? {}
  // In the order of the table, not of the clicks.
  const toggled = (names: readonly string[], name: string, isOn: boolean) =>
    all.filter((each) => (each === name ? isOn : names.includes(each)))
  return (
    <div className="access-action">
      <NativeSelect
        label={access.columns}
        value={columns ? 'some' : 'all'}
        data={[
          { value: 'all', label: access.allColumns },
          { value: 'some', label: access.someColumns },
        ]}
        onChange={(event) => change(event.currentTarget.value === 'all' ? undefined : { read: all, write: writable })}
      />
      {columns ? (
        <table className="access-columns">
          <thead>
            <tr>
              <th scope="col">{access.column}</th>
              <th scope="col">{access.sees}</th>
              <th scope="col">{access.mayWrite}</th>
            </tr>
          </thead>
          <tbody>
            {table.columns.map(({ id, name }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>
                  <Checkbox
                    size="xs"
                    aria-label={access.seesColumn(name)}
                    title={isKey(name) ? access.keyIsSeen : undefined}
                    checked={isKey(name) || read.includes(name)}
                    disabled={isKey(name)}
                    onChange={({ currentTarget: { checked } }) =>
                      change(
                        checked
                          ? { ...columns, read: toggled(read, name, true) }
                          : { read: toggled(read, name, false), write: toggled(write, name, false) },
                      )
                    }
                  />
                </td>
                <td>
                  {writable.includes(name) ? (
                    <Checkbox
                      size="xs"
                      aria-label={access.mayWriteColumn(name)}
                      checked={write.includes(name)}
                      onChange={({ currentTarget: { checked } }) => change({ ...columns, write: toggled(write, name, checked) })}
                    />
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <p role="alert" className="alert">
        {problem ?? ''}
      </p>
    </div>
  )
}

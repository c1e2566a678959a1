import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConversionReport } from '../../../../tables/definitions/conversion-model'
import type { TableView } from '../../../../tables/model'
import { tablesQuery } from '../../api/queries'
import { Form } from '../../components/form/form'
import { useStrings } from '../../language'

/** `created` is the report of a dry run that also creates records for missing names; absent if none can be created. */
export type ConversionReports = { tried: ConversionReport; created?: ConversionReport | undefined }

export type ConversionChoices = { onFailure?: 'null'; createLinked?: true }

type ConversionFormProps = {
  table: TableView
  /** The table that the column is to link to. */
  target: string | undefined
  reports: ConversionReports
  back: () => void
  convert: (choices: ConversionChoices) => Promise<unknown>
}

/** The dry run's report before a conversion: how many values can be converted, and those that cannot. */
export function ConversionForm({ table, target, reports, back, convert }: ConversionFormProps) {
  const { columns: words } = useStrings()
  const [isCreating, setCreating] = useState(reports.created !== undefined)
  const { convertible, failing, rows, renamed = 0, names, notation } = (isCreating && reports.created) || reports.tried
  return (
    <Form
      action={failing > 0 ? words.convertAndClear(failing) : words.convert}
      submit={() => convert({ ...(failing > 0 ? { onFailure: 'null' } : {}), ...(isCreating ? { createLinked: true } : {}) })}
      isDangerous={failing > 0}
      beside={
        <Button variant="default" onClick={back} data-autofocus>
          {words.back}
        </Button>
      }
    >
      <p role="status">
        {renamed > 0 ? words.renamesChoices(renamed) : words.convertible(convertible)}{' '}
        {failing > 0 ? <strong>{words.notConvertible(failing)}</strong> : null}
      </p>
      {notation?.decimals ? <p>{notation.decimals === 'comma' ? words.readsComma : words.readsPoint}</p> : null}
      {notation?.dates ? <p>{words.readsDates(notation.dates)}</p> : null}
      {names ? <NamesReport names={names} target={target} isCreating={isCreating} setCreating={setCreating} /> : null}
      {failing > 0 ? (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <section className="table-frame report" tabIndex={0} aria-label={words.notConvertible(failing)}>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">{words.record}</th>
                  <th scope="col">{words.value}</th>
                  <th scope="col">{words.reason}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ key, value, message }) => (
                  <tr key={key}>
                    <td>
                      <Link to="/tables/$tableId/records/$pk" params={{ tableId: table.id, pk: key }}>
                        {key}
                      </Link>
                    </td>
                    <td className="report-value">{value}</td>
                    <td>{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {rows.length < failing ? <p className="soft">{words.showingFirst(rows.length)}</p> : null}
          <p className="soft">{words.correctHelp}</p>
        </>
      ) : null}
    </Form>
  )
}

type NamesReportProps = {
  names: NonNullable<ConversionReport['names']>
  target: string | undefined
  isCreating: boolean
  setCreating: (isCreating: boolean) => void
}

const maxShown = 10

/** The number of names that match a record, and the names that do not. */
function NamesReport({ names, target, isCreating, setCreating }: NamesReportProps) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const table = tables.find(({ id }) => id === target)?.name ?? ''
  const listed = (shown: readonly string[], count: number) => `${shown.slice(0, maxShown).join(', ')}${count > maxShown ? ' …' : ''}`
  return (
    <div>
      <p>{words.namesFound(names.found)}</p>
      {names.unknown > 0 ? (
        <p>
          {words.namesUnknown(names.unknown)} <strong>{listed(names.unknownNames, names.unknown)}</strong>
        </p>
      ) : null}
      {names.ambiguous > 0 ? (
        <p>
          {words.namesAmbiguous(names.ambiguous)} <strong>{listed(names.ambiguousNames, names.ambiguous)}</strong>
        </p>
      ) : null}
      {names.obstacle ? <p>{names.obstacle}</p> : null}
      {names.creatable > 0 ? (
        <Checkbox
          label={words.createLinked(names.creatable, table)}
          checked={isCreating}
          onChange={(event) => setCreating(event.currentTarget.checked)}
        />
      ) : null}
    </div>
  )
}

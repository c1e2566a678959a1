import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConversionReport, TableView } from '../../../../tables/model'
import { Form } from '../../components/form'
import { useStrings } from '../../language'

type ConversionFormProps = { table: TableView; report: ConversionReport; back: () => void; convert: () => Promise<unknown> }

/** The dry run's report before a conversion: how many values can be converted, and those that cannot. */
export function ConversionForm({ table, report, back, convert }: ConversionFormProps) {
  const { columns: words } = useStrings()
  const { convertible, failing, rows, renamed = 0 } = report
  return (
    <Form
      action={failing > 0 ? words.convertAndClear(failing) : words.convert}
      submit={convert}
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
      {failing > 0 ? (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard */}
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

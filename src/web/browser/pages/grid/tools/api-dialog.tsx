import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { TableView } from '../../../../../tables/model'
import { CodeBlock } from '../../../components/code/code-block'
import { curlCommand, javascriptCode, pythonCode, withQuery } from '../../../components/code/code-lines'
import { Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'

type ApiDialogProps = { table: TableView; query: URLSearchParams; isOpen: boolean; close: () => void }

/** The current view as API requests in three languages. */
export function ApiDialog({ table, query, isOpen, close }: ApiDialogProps) {
  const { help } = useStrings()
  const name = encodeURIComponent(table.schema === 'data' ? table.name : `${table.schema}.${table.name}`).replaceAll("'", '%27')
  const address = withQuery(`${location.origin}/api/v1/tables/${name}/records`, query)
  return (
    <Dialog title={help.apiTitle(table.name)} isOpen={isOpen} close={close} size="lg">
      <div className="form">
        <p className="soft">{help.apiText}</p>
        <CodeBlock label={help.curl} code={curlCommand(address)} />
        <CodeBlock label={help.javascript} code={javascriptCode(address)} />
        <CodeBlock label={help.python} code={pythonCode(address)} />
        <p className="row-actions is-spaced">
          <Anchor component={Link} to="/settings/account">
            {help.createToken}
          </Anchor>
          <Anchor href="/swagger">{help.documentation}</Anchor>
        </p>
      </div>
    </Dialog>
  )
}

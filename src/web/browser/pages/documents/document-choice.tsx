import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import type { TableView } from '../../../../tables/model'
import { documentsQuery, type Template } from '../../api/documents-query'
import { Dialog } from '../../components/dialog'
import { Icon } from '../../components/icon'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { documentPath, templatesFor, templateTitle } from '../../records/list/record-templates'

type DocumentChoiceProps = { table: TableView; segments: readonly string[]; isOpen: boolean; close: () => void }

/** The templates for some records of a table. Each opens its page, with the records filled in. */
export function DocumentChoice({ table, segments, isOpen, close }: DocumentChoiceProps) {
  const { documents } = useStrings()
  const query = useQuery(documentsQuery())
  return (
    <Dialog title={documents.makeOf(segments.length)} isOpen={isOpen} close={close}>
      <Await query={query} lines={3}>
        {(all) => <Choices table={table} segments={segments} templates={templatesFor(all, table, segments.length)} />}
      </Await>
    </Dialog>
  )
}

function Choices({ table, segments, templates }: { table: TableView; segments: readonly string[]; templates: readonly Template[] }) {
  const { documents } = useStrings()
  const router = useRouter()
  if (templates.length === 0) return <p className="soft">{documents.none}</p>
  return (
    <div className="offers">
      {templates.map((each, index) => {
        const path = documentPath(each, table, segments)
        const open = (event: MouseEvent) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          // The router would write the key 4 as the text "4", including the quotation marks.
          router.history.push(path)
        }
        return (
          <a key={path} className="offer" href={path} onClick={open} data-autofocus={index === 0 ? true : undefined}>
            <span className="state-icon">
              <Icon name="file" size={20} />
            </span>
            <span className="offer-title">{templateTitle(each, templates)}</span>
            <span className="soft">{each.formats.map((format) => documents.formats[format] ?? format).join(', ')}</span>
          </a>
        )
      })}
    </div>
  )
}

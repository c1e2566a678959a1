import { Button } from '@mantine/core'
import { wordsFor } from '../../api/api-error'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'
import { saveFile } from '../table-tools/save-file'
import type { Template } from './documents-query'
import type { Made } from './use-document'

type Query = { data: Made | undefined; error: unknown; isFetching: boolean }
type Props = { template: Template; format: string; address: string | null; query: Query }

/** The document as it would be, and how to take it along. What was made last stays shown until the next is there. */
export function Preview({ template, format, address, query: { data, error, isFetching } }: Props) {
  const strings = useStrings()
  const { documents } = strings
  const isThere = data !== undefined && address !== null && !error
  const actions = isThere ? (
    <div className="row-actions">
      <Button component="a" variant="default" size="xs" href={data.address} target="_blank" rel="noreferrer">
        {documents.open}
      </Button>
      <Button size="xs" onClick={() => saveFile(data.file, `${template.template}.${format}`)}>
        {documents.download}
      </Button>
    </div>
  ) : null
  return (
    <Panel title={documents.preview} action={actions}>
      <p role="status" className="facts">
        {isFetching ? documents.creating : address === null ? documents.fillInParameters : ''}
      </p>
      <p role="alert" className="alert">
        {error && address !== null ? wordsFor(error, strings) : ''}
      </p>
      <div className="preview">{isThere ? <Shown made={data} title={template.title} /> : null}</div>
    </Panel>
  )
}

function Shown({ made: { file, text, address }, title }: { made: Made; title: string }) {
  const { documents } = useStrings()
  if (text !== null)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard
      <section tabIndex={0} aria-label={documents.previewOf(title)}>
        <pre className="mono">{text}</pre>
      </section>
    )
  const isPage = file.type.startsWith('text/html')
  if (!isPage && file.type !== 'application/pdf') return <p className="soft">{documents.noPreview(documents.formats.docx ?? '')}</p>
  // By its own address, so that it comes with its own policy: a page in a sandbox, whatever stands in it.
  return (
    <iframe key={address} src={`${address}#navpanes=0&view=FitH`} title={documents.previewOf(title)} sandbox={isPage ? '' : undefined} />
  )
}

import { Button } from '@mantine/core'
import type { MissingCharacters } from '../../../../documents/render/missing-characters'
import { toErrorMessage } from '../../api/api-error'
import type { Template } from '../../api/documents-query'
import { Panel } from '../../components/panel'
import { saveFile } from '../../components/save-file'
import { locale, useStrings } from '../../language'
import type { Strings } from '../../strings/en'
import type { DisplayedDocument } from './use-document'

type DocumentQuery = { data: DisplayedDocument | undefined; error: unknown; isFetching: boolean }
type DocumentPreviewProps = { template: Template; address: string | null; query: DocumentQuery }

/** The preview, with download links. The previous document stays visible until the next one is rendered. */
export function DocumentPreview({ template, address, query: { data, error, isFetching } }: DocumentPreviewProps) {
  const strings = useStrings()
  const { documents } = strings
  const isThere = data !== undefined && address !== null && !error
  const actions = isThere ? (
    <div className="row-actions">
      {data.address === null ? null : (
        <Button component="a" variant="default" size="xs" href={data.address} target="_blank" rel="noreferrer">
          {documents.open}
        </Button>
      )}
      <Button size="xs" onClick={() => saveFile(data.file, data.name)}>
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
        {error && address !== null ? toErrorMessage(error, strings) : ''}
      </p>
      {isThere && data.missing.length ? <p className="alert">{missingText(data.missing, documents)}</p> : null}
      <div className="preview">{isThere ? <PreviewContent rendered={data} title={template.title} /> : null}</div>
    </Panel>
  )
}

function missingText(missing: MissingCharacters[], { missingCharacters, andMore }: Strings['documents']): string {
  const names = new Intl.DisplayNames(locale(), { type: 'script' })
  const listed = missing.map(({ script, characters, count }) => {
    const more = count - [...characters].length
    return `${names.of(script)}: ${characters}${more > 0 ? ` ${andMore(more)}` : ''}`
  })
  return missingCharacters(listed.join('; '))
}

function PreviewContent({ rendered: { file, text, address }, title }: { rendered: DisplayedDocument; title: string }) {
  const { documents } = useStrings()
  if (text !== null)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      <section tabIndex={0} aria-label={documents.previewOf(title)}>
        <pre className="mono">{text}</pre>
      </section>
    )
  const isPage = file.type.startsWith('text/html')
  if (!isPage && file.type !== 'application/pdf') return <p className="soft">{documents.noPreview(documents.formats.docx ?? '')}</p>
  if (address === null) return <p className="soft">{documents.noLongPreview}</p>
  // The document has its own URL, so that it is served with its own policy: HTML runs in a sandbox.
  return (
    <iframe key={address} src={`${address}#navpanes=0&view=FitH`} title={documents.previewOf(title)} sandbox={isPage ? '' : undefined} />
  )
}

import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewLink, ShareLink } from '../../../../links/model'
import { api, unwrap } from '../../api/client'
import { useStrings } from '../../language'
import { quoteName } from '../../records/values/record-key'
import { CopyField } from '../code/copy-field'
import { CancelButton, Dialog } from '../dialog'
import { PasswordField, TextField } from '../form/fields'
import { Form, type FormValues } from '../form/form'
import { LinkList } from './link-list'
import { invalidateLinks, type LinksOf, linksQuery } from './links-query'

/**
 * Something to share: its label, and the request body for the service, whose query gets the chosen columns. Rules hide
 * the `restricted` columns from other people. Without `columns`, no column can be left out.
 */
export type ShareSubject = {
  label: string
  body: NewLink
  columns?: readonly string[]
  restricted?: readonly string[] | undefined
  unticked?: readonly string[]
}

type ShareDialogProps = {
  subjects: readonly ShareSubject[]
  /** Selects the existing links. */
  linksOf: LinksOf
  kinds: readonly ShareLink['kind'][]
  isOpen: boolean
  close: () => void
}

/** Creates a share link, shows its address once, and lists the existing ones. */
export function ShareDialog({ subjects, linksOf, kinds, isOpen, close }: ShareDialogProps) {
  const { links: words } = useStrings()
  const [url, setUrl] = useState<string | null>(null)
  const leave = () => {
    close()
    setUrl(null)
  }
  // The title says whether the list or its selected record is shared.
  const title = linksOf.pk === undefined ? words.shareList : words.shareRecord
  return (
    <Dialog title={url === null ? title : words.createdTitle} isOpen={isOpen} close={leave} size="lg" isShownOnce={url !== null}>
      {url === null ? (
        <>
          <ShareForm subjects={subjects} close={leave} take={setUrl} />
          <PresentLinks linksOf={linksOf} kinds={kinds} />
        </>
      ) : (
        <div className="form">
          <p>{words.copyNow}</p>
          <CopyField label={words.address} value={url} />
          <Button onClick={leave}>{words.done}</Button>
        </div>
      )}
    </Dialog>
  )
}

const lifetimes = ['7', '30', '90', '365', ''] as const
const dayMs = 86_400_000
/** The limit of the service. */
const maxQueryLength = 8000

const idOf = ({ body }: ShareSubject): string => JSON.stringify(body)

/**
 * The chosen subject. A file that is deleted elsewhere stays chosen, and the service refuses it: choosing another file
 * instead would share that one by mistake.
 */
function useSubject(subjects: readonly ShareSubject[]) {
  const [chosen, setChosen] = useState<ShareSubject>()
  const byId = (id: string) => subjects.find((each) => idOf(each) === id)
  const subject = chosen ? (byId(idOf(chosen)) ?? chosen) : subjects[0]!
  return { subject, offered: [...new Set([...subjects, subject])], choose: (id: string) => setChosen(byId(id)) }
}

type ShareFormProps = { subjects: readonly ShareSubject[]; close: () => void; take: (url: string) => void }

function ShareForm({ subjects, close, take }: ShareFormProps) {
  const { links: words, tokens } = useStrings()
  const { subject, offered, choose } = useSubject(subjects)
  const { columns = [], restricted = [], unticked: first = [] } = subject
  const [unticked, setUnticked] = useState<readonly string[]>([...restricted, ...first])
  const ticked = columns.filter((name) => !unticked.includes(name))
  const submit = async ({ days, password, maxOpens }: FormValues) => {
    const { url } = await unwrap(
      api.links.post({
        ...subject.body,
        ...queryOf(subject, ticked),
        ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
        ...(password ? { password } : {}),
        ...(maxOpens ? { maxOpens: Number(maxOpens) } : {}),
      }),
    )
    await invalidateLinks()
    take(url)
  }
  const lifetimeText = (days: string) => (days === '' ? tokens.neverExpires : days === '365' ? tokens.year : tokens.days(Number(days)))
  return (
    <Form action={words.create} submit={submit} beside={<CancelButton close={close} />}>
      <p className="soft">
        {words.help} {subject.body.pk === undefined ? words.listHelp : null}
      </p>
      {offered.length > 1 ? (
        <NativeSelect
          name="subject"
          label={words.what}
          data={offered.map((each) => ({ value: idOf(each), label: each.label }))}
          value={idOf(subject)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data-autofocus
        />
      ) : null}
      {columns.length > 0 ? (
        <fieldset className="choices">
          <legend>{words.columns}</legend>
          <div className="two share-columns">
            {columns.map((name) => (
              <Checkbox
                key={name}
                label={name}
                description={restricted.includes(name) ? words.restricted : undefined}
                checked={ticked.includes(name)}
                required={ticked.length === 0}
                onChange={({ currentTarget: { checked } }) =>
                  setUnticked(checked ? unticked.filter((each) => each !== name) : [...unticked, name])
                }
              />
            ))}
          </div>
        </fieldset>
      ) : restricted.length > 0 ? (
        <p className="facts">{words.mayShow(restricted.join(', '))}</p>
      ) : null}
      <div className="two">
        <NativeSelect
          name="days"
          label={tokens.lifetime}
          defaultValue="30"
          data={lifetimes.map((value) => ({ value, label: lifetimeText(value) }))}
        />
        <TextField name="maxOpens" type="number" label={words.maxOpens} placeholder={words.unlimited} min={1} max={1_000_000} />
      </div>
      <PasswordField name="password" label={words.password} description={words.passwordHelp} required={false} autoComplete="new-password" />
    </Form>
  )
}

/** Omits a selection of all columns if it is too long; the link then also shows columns that are added later. */
function queryOf({ body, columns = [] }: ShareSubject, names: readonly string[]): Pick<NewLink, 'query'> {
  if (columns.length === 0) return {}
  const query = withSelect(body.query, names)
  return names.length === columns.length && query.length > maxQueryLength ? {} : { query }
}

/** Names are quoted, since some have a special meaning in the query grammar. */
const withSelect = (query: string | undefined, columns: readonly string[]): string =>
  String(new URLSearchParams([...new URLSearchParams(query), ['select', columns.map(quoteName).join(',')]]))

function PresentLinks({ linksOf, kinds }: Pick<ShareDialogProps, 'linksOf' | 'kinds'>) {
  const { links: words } = useStrings()
  const { data = [] } = useQuery(linksQuery(linksOf))
  const links = data.filter(({ kind }) => kinds.includes(kind))
  if (links.length === 0) return null
  return (
    <section className="present-links">
      <h3>{words.present}</h3>
      <LinkList links={links} />
    </section>
  )
}

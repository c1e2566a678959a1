import { documentFormats, type Job, type Outcome, type TemplateFiles } from './job'

/** Name of the internal sub-command; not in --help. */
export const renderCommand = '__render'

/** What is sent to the child: the files of a template only when it has not had them yet. */
export type Order = Omit<Job, 'template'> & { template: { hash: string; files: TemplateFiles['files'] | null } }

/** What it answers. `isReady` once, when it has come up. */
export type Word = { isReady: true } | { outcome: Outcome }

/** A service has tens of templates, not thousands. */
const mostTemplates = 50

/** The process that documents are made in: it can be killed without a trace. Ends when the service does. @returns the exit code */
export async function runRenderer(): Promise<number> {
  const known = new Map<string, TemplateFiles>()
  process.on('message', async (order: Order) => say({ outcome: await render(order, known) }))
  say({ isReady: true })
  await new Promise<void>((done) => process.on('disconnect', done))
  return 0
}

const say = (word: Word) => void process.send?.(word)

async function render({ template: { hash, files }, ...order }: Order, known: Map<string, TemplateFiles>): Promise<Outcome> {
  if (files) known.set(hash, { hash, files })
  if (known.size > mostTemplates) known.delete(known.keys().next().value!)
  const template = known.get(hash)
  if (!template) return { problems: ['The files of the template are gone.'] }
  try {
    return await make({ ...order, template })
  } catch (error) {
    return { problems: [String((error as Error).message ?? error).slice(0, 500)] }
  }
}

/** Each maker is loaded when it is first needed: Typst takes its time. */
async function make(job: Job): Promise<Outcome> {
  const { maker } = documentFormats[job.format]
  if (maker === 'typst') return (await import('./render-typst')).renderTypst(job)
  if (maker === 'docx') return (await import('./render-docx')).renderDocx(job)
  return (await import('./render-liquid')).renderLiquid(job)
}

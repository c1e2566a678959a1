import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createApp } from '../../src/app'
import { loadPlugins } from '../../src/plugins/load/loaded'
import { canariesIn } from '../support/access/canary'
import { forbiddenChange } from '../support/access/changes'
import { documentOf, type Line, lineOf, lineShape, type State } from '../support/access/document'
import { undoneRequest } from '../support/access/histories'
import { type Answer, pick, type Request } from '../support/access/requests'
import { allBuilders, unlistedRoutes } from '../support/access/routes'
import { type Person, sightOf, visibleCanaries } from '../support/access/sight'
import {
  addWorld,
  ask,
  groupNames,
  groupsOf,
  narrowToken,
  readState,
  restore,
  type Stage,
  setMembers,
  startStage,
} from '../support/access/stage'
import { type World, worldOf, worldShape } from '../support/access/world'
import { rounds } from '../support/drill'
import '../support/properties'

const isFuzz = Boolean(process.env.FUZZ)
const worldCount = isFuzz ? 16 : 5
/** A case has one to eight requests: those of the gate are 500 and more. */
const caseCount = Number(process.env.CANARY_CASES ?? (isFuzz ? 10_000 : rounds(115, 1500)))

const shapes = fc.sample(worldShape, { numRuns: worldCount, ...(isFuzz ? {} : { seed: 20261125 }) })
const worlds = shapes.map((shape, at) => worldOf(`w${at}`, shape))

const stage = await startStage(worlds.map(({ name }) => name))
/** Tokens that reach two tables of a world, by world and person. */
const narrow = new Map<string, string>()
for (const world of worlds) {
  await addWorld(stage, world)
  for (const at of stage.people.keys()) narrow.set(`${world.name} ${at}`, await narrowToken(stage, at, world))
}

test('every route stands in a list', async () => {
  const routes = createApp(stage.one.deps, await loadPlugins(stage.plugins, {})).routes
  expect(unlistedRoutes(routes)).toEqual([])
})

const number = fc.nat({ max: 9999 })
const step = fc.record({
  request: number,
  table: fc.nat({ max: 5 }),
  a: number,
  b: number,
  c: number,
  isTwo: fc.boolean(),
  // To save a document costs more than the request that follows.
  document: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.array(lineShape, { maxLength: 5 }) }),
  isKeyed: fc.nat({ max: 5 }),
})
const testCase = fc.record({
  world: fc.nat({ max: worldCount - 1 }),
  person: fc.constantFrom(0, 1, 0, 1, 0, 1, 2),
  token: fc.nat({ max: 9 }),
  members: fc.array(fc.nat({ max: 7 }), { minLength: 3, maxLength: 3 }),
  lines: fc.array(lineShape, { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { minLength: 1, maxLength: 8, size: 'max' }),
})
type Case = typeof testCase extends fc.Arbitrary<infer Value> ? Value : never

test(
  'no answer holds what its caller may not see, and nothing changes that they may not change',
  async () => {
    await fc.assert(
      fc.asyncProperty(testCase, async (value) => {
        await play(value)
      }),
      {
        numRuns: caseCount,
        ...(process.env.CANARY_SEED ? { seed: Number(process.env.CANARY_SEED) } : {}),
        endOnFailure: Boolean(process.env.CANARY_QUICK),
      },
    )
  },
  24 * 60 * 60_000,
)

async function play({ world: at, person: who, token: kind, members, lines: shapes, steps }: Case) {
  const world = worlds[at]!
  await restore(stage, world)
  await setMembers(stage, members)
  const { id, email, role, tokens } = stage.people[who]!
  const person: Person = { id, email, role, groups: groupsOf(members, who) }
  const token = kind === 0 ? tokens.read : kind === 1 ? narrow.get(`${world.name} ${who}`)! : tokens.full
  const isReached = (name: string) => kind !== 1 || world.tables.slice(0, 2).some((table) => table.name === name)
  let lines = shapes.map((shape) => lineOf(world, groupNames, shape))
  await save(world, lines, steps[0]!.isTwo)
  let state = await readState(stage, world)
  for (const [place, step] of steps.entries()) {
    if (step.document) {
      lines = step.document.map((shape) => lineOf(world, groupNames, shape))
      await save(world, lines, !step.isTwo)
    }
    const sight = sightOf(world, lines, person, state)
    const visible = new Set(visibleCanaries(world, sight, ({ name }) => isReached(name)))
    const built = pick(
      allBuilders,
      step.request,
    )({ world, table: pick(world.tables, step.table), sight, visible, a: step.a, b: step.b, c: step.c })
    const isKeyed = step.isKeyed === 0 && built.method !== 'GET' && built.method !== 'HEAD'
    const headers = {
      ...built.headers,
      ...(isKeyed ? { 'idempotency-key': `key-${Bun.randomUUIDv7()}` } : {}),
      ...(step.c % 2 ? { 'x-request-id': undoneRequest } : {}),
    }
    const request = { ...built, headers }
    const app = step.isTwo ? stage.two : stage.one
    const told = [stage.one, stage.two].map(({ events }) => events.length)
    const describe = (problem: string, answer: Answer) =>
      new Error(
        `${problem}\n\nas ${role} ${email} ${['read', 'narrow'][kind] ?? 'full'} in ${person.groups}, step ${place}, ${step.isTwo ? 'two' : 'one'}\n${request.method} ${request.path} ${JSON.stringify(request.headers ?? {})}\n${JSON.stringify(request.body)}\n\nunder ${documentOf(
          world,
          lines,
        )
          .rules.map((rule) => JSON.stringify(rule))
          .join('\n')}\n\n${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text.slice(0, 2000)}`,
      )
    const answer = await ask(app, token, request).catch((error) => {
      throw describe(`${error}`, { status: 0, headers: {}, text: '', json: null })
    })
    const after = await readState(stage, world)
    const sightAfter = sightOf(world, lines, person, after)
    const seen = new Set([...visible, ...visibleCanaries(world, sightAfter, ({ name }) => isReached(name))])
    const asked = decodeURIComponent(request.path) + JSON.stringify(request.body ?? '')
    const hidden = new Set(
      canariesIn([...Object.values(state), ...Object.values(after)]).filter((text) => !seen.has(text) && !asked.includes(text)),
    )
    const answers = [answer, ...(await repeated(app, token, request, answer))]
    for (const each of answers) {
      const bytes = JSON.stringify(each.headers) + each.text
      const leaked = [...hidden].filter((text) => bytes.includes(text))
      if (leaked.length > 0) throw describe(`The answer holds ${leaked.map((text) => cellOf(world, state, text))}.`, each)
    }
    const events = [stage.one, stage.two].map((app, index) => Bun.inspect(app.events.slice(told[index]), { depth: 8 })).join()
    const logged = [...hidden].filter((text) => events.includes(text))
    if (logged.length > 0)
      throw describe(`The events hold ${logged.map((text) => cellOf(world, state, text))}: ${events.slice(0, 3000)}`, answer)
    const isChanged = JSON.stringify(state) !== JSON.stringify(after)
    const isHarmless = answer.status >= 400 || /dryRun=true/.test(request.path) || role === 'viewer' || kind === 0
    if (isChanged && isHarmless) throw describe('Something has changed.', answer)
    const wrong = isChanged ? forbiddenChange(world, sight, sightAfter) : null
    if (wrong) throw describe(wrong, answer)
    const problem = kind === 1 ? null : (request.check?.(answer) ?? request.checkAll?.(answers) ?? null)
    if (problem) throw describe(problem, answer)
    if (isKeyed && answer.status < 300) {
      lines = (step.document ? shapes : [...shapes].reverse().slice(1)).map((shape) => lineOf(world, groupNames, shape))
      await save(world, lines, !step.isTwo)
      const now = new Set(visibleCanaries(world, sightOf(world, lines, person, after), ({ name }) => isReached(name)))
      const again = await ask(step.isTwo ? stage.one : stage.two, token, request)
      const bytes = JSON.stringify(again.headers) + again.text
      const leaked = canariesIn(Object.values(after)).filter((text) => !now.has(text) && !asked.includes(text) && bytes.includes(text))
      if (leaked.length > 0) throw describe(`The replay holds ${leaked.map((text) => cellOf(world, after, text))}.`, again)
    }
    state = await readState(stage, world)
  }
}

const save = async (world: World, lines: readonly Line[], isTwo: boolean) => {
  const app = isTwo ? stage.two : stage.one
  const answer = await ask(app, stage.one.tokens.admin, { method: 'PUT', path: '/api/v1/access', body: documentOf(world, lines) })
  if (answer.status !== 200) throw new Error(`The document was refused: ${answer.text}\n${JSON.stringify(documentOf(world, lines))}`)
}

/** What comes of asking again: by the ETag that was answered, or for the next page. */
async function repeated(app: Stage['one'], token: string, request: Request, first: Answer): Promise<Answer[]> {
  if (request.repeats === 'if-none-match' && first.headers.etag)
    return [await ask(app, token, { ...request, headers: { ...request.headers, 'if-none-match': first.headers.etag } })]
  const answers: Answer[] = []
  let cursor = request.repeats === 'pages' && first.status === 200 ? (first.json as { nextCursor: string | null }).nextCursor : null
  while (cursor) {
    const next = await ask(app, token, { ...request, path: `${request.path}&cursor=${encodeURIComponent(cursor)}` })
    answers.push(next)
    cursor = next.status === 200 ? (next.json as { nextCursor: string | null }).nextCursor : null
  }
  return answers
}

function cellOf(world: World, state: State, text: string): string {
  for (const { name } of world.tables)
    for (const row of state[name]!) {
      const [column] = Object.entries(row).find(([, value]) => canariesIn(value).includes(text)) ?? []
      if (column) return `${name}[${row.id ?? row.code}].${column} (${text})`
    }
  return text
}

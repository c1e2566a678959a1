import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import { createDefinition, deleteDefinition, getDefinition, listDefinitions, updateDefinition } from './definitions'
import { FormDefinition, FormDefinitionPatch, NewFormDefinition } from './model'

const Named = t.Object({ name: t.String() })

/** The definitions of public forms (docs/forms.md). */
export const formDefinitionRoutes = (deps: Deps) =>
  new Elysia({ name: 'forms/definition-routes', prefix: '/api/v1/form-definitions', tags: ['forms'] })
    .use(authHooks(deps))
    .get('/', async ({ request }) => ({ forms: await listDefinitions(deps, infoOf(request).origin) }), {
      role: 'admin',
      response: t.Object({ forms: t.Array(FormDefinition) }),
      detail: { summary: 'List the definitions of public forms' },
    })
    .post(
      '/',
      async ({ actor, body, request, status }) =>
        status(201, await createDefinition(deps, body, auditSourceOf(request, actor), infoOf(request).origin)),
      { role: 'admin', body: NewFormDefinition, response: { 201: FormDefinition }, detail: { summary: 'Define a public form' } },
    )
    .get('/:name', ({ params, request }) => getDefinition(deps, params.name, infoOf(request).origin), {
      role: 'admin',
      params: Named,
      response: FormDefinition,
      detail: {
        summary: 'Get the definition of a form',
        description: '`problems` explains why an enabled form is closed, and why an open one may refuse submissions.',
      },
    })
    .patch(
      '/:name',
      ({ actor, params, body, request }) =>
        updateDefinition(deps, params.name, body, auditSourceOf(request, actor), infoOf(request).origin),
      {
        role: 'admin',
        params: Named,
        body: FormDefinitionPatch,
        response: FormDefinition,
        detail: {
          summary: 'Change the definition of a form',
          description: '`fields` replaces all fields. Null removes an optional member.',
        },
      },
    )
    .delete(
      '/:name',
      async ({ actor, params, request, set }) => {
        await deleteDefinition(deps, params.name, auditSourceOf(request, actor))
        set.status = 204
      },
      { role: 'admin', params: Named, detail: { summary: 'Delete a form', description: 'Its records stay.' } },
    )

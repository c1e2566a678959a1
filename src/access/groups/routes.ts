import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../../auth/audit/audit-log'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { Group, GroupFilter, GroupPatch, NewGroup } from './model'
import { addMember, createGroup, deleteGroup, getGroup, listGroups, removeMember, updateGroup } from './service'

const uuid = t.String({ format: 'uuid' })
const Id = t.Object({ id: uuid })
const Membership = t.Object({ id: uuid, userId: uuid })

export const groupRoutes = (deps: Deps) => {
  const { db } = deps
  return new Elysia({ name: 'access/groups/routes', prefix: '/api/v1/groups', tags: ['groups'] })
    .use(authHooks(deps))
    .get('/', ({ query }) => listGroups(db, query), {
      role: 'admin',
      query: GroupFilter,
      response: t.Object({ groups: t.Array(Group), nextCursor: t.Nullable(t.String()) }),
      detail: { summary: 'List the groups with their members', description: 'By name, in pages.' },
    })
    .post('/', async ({ actor, body, request, status }) => status(201, await createGroup(db, body, auditSourceOf(request, actor))), {
      role: 'admin',
      body: NewGroup,
      response: { 201: Group },
      detail: { summary: 'Add a group' },
    })
    .get('/:id', ({ params }) => getGroup(db, params.id), {
      role: 'admin',
      params: Id,
      response: Group,
      detail: { summary: 'Get a group' },
    })
    .patch('/:id', ({ actor, params, body, request }) => updateGroup(db, params.id, body, auditSourceOf(request, actor)), {
      role: 'admin',
      params: Id,
      body: GroupPatch,
      response: Group,
      detail: {
        summary: 'Change the name or the members of a group',
        description: '`members` replaces all members. Access rules follow a renamed group.',
      },
    })
    .delete(
      '/:id',
      async ({ actor, params, request, set }) => {
        await deleteGroup(db, params.id, auditSourceOf(request, actor))
        set.status = 204
      },
      {
        role: 'admin',
        params: Id,
        detail: { summary: 'Delete a group', description: 'Refused with 409 while access rules name it.' },
      },
    )
    .put(
      '/:id/members/:userId',
      async ({ actor, params, request, set }) => {
        await addMember(db, params.id, params.userId, auditSourceOf(request, actor))
        set.status = 204
      },
      { role: 'admin', params: Membership, detail: { summary: 'Add a user to a group' } },
    )
    .delete(
      '/:id/members/:userId',
      async ({ actor, params, request, set }) => {
        await removeMember(db, params.id, params.userId, auditSourceOf(request, actor))
        set.status = 204
      },
      { role: 'admin', params: Membership, detail: { summary: 'Remove a user from a group' } },
    )
}

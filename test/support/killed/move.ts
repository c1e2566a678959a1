import { join } from 'node:path'
import { moveDatabase, openSessions, planMove } from '../../../src/backup/move/move'
import { takeMoveLock } from '../../../src/backup/move/session'
import { readUri } from '../../../src/ops/settings/connection-uri'
import { killedTask } from '../killed-at'
import { moveTaskOf } from '../moves'

/** `rowhouse move` of the embedded database, whose service is running. */
const { task, progress } = killedTask<{ dataDir: string; uri: string }>()
const inside = { socketPath: join(task.dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse' }
const moveTask = { ...moveTaskOf(inside, { uri: readUri(task.uri) }), progress }
const sessions = await openSessions(moveTask)
await takeMoveLock(sessions.from)
await moveDatabase(moveTask, sessions, await planMove(moveTask, sessions))

import { expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRoot, readImage, startContainer } from '../support/container'
import { until } from '../support/processes'
import { mayMountDisk } from '../support/small-disk'
import { administrator } from '../support/used-data'

const image = readImage()

test('the image has an ordinary user by number, and its health is asked of the service', () => {
  expect(image.uid).toBeGreaterThan(0)
  expect(image).toMatchObject({
    command: ['rowhouse'],
    healthCheck: ['rowhouse', 'health'],
    environment: { ROWHOUSE_DATA_DIR: image.folder },
  })
})

/** Namespaces and mounts are root's, unless it is in a container itself. */
const inContainer = () => {
  test('the executable, a shell, libstdc++ with glibc, and a line in /etc/passwd are enough, with a root that is read-only', async () => {
    const root = await makeRoot(image)
    const secret = join(root, 'etc/password')
    writeFileSync(secret, administrator.password)
    const environment = { ROWHOUSE_ADMIN_EMAIL: administrator.email, ROWHOUSE_ADMIN_PASSWORD_FILE: '/etc/password' }
    await using container = await startContainer(root, image, environment)
    await until('it is healthy', () => container.run(image.healthCheck).code === 0)
    expect(container.run(['rowhouse', 'users', 'list']).output).toContain(`${administrator.email}\tadmin\tactive`)
    expect(container.run(['rowhouse', 'backup', 'mine.tar.zst'])).toMatchObject({ code: 0, output: expect.stringContaining('Verified') })
    expect(container.run(['sh', '-c', 'echo > /written'])).toMatchObject({ code: 2, output: expect.stringContaining('Read-only') })
    // PostgreSQL's, too: nothing in it is another user's.
    for (const path of ['postgres', 'runtime', 'mine.tar.zst']) expect(statSync(join(root, image.folder, path)).uid).toBe(image.uid)
    expect(container.output()).not.toContain('"level":50')
    expect(await container.stop()).toBe(0)
    expect(container.output()).toContain('"msg":"stopped"')
    // And again, as an upgrade of the image does.
    await using next = await startContainer(root, image, {})
    await until('it is healthy again', () => next.run(image.healthCheck).code === 0)
  })
}
if (mayMountDisk()) inContainer()

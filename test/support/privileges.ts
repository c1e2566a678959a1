import { expect } from 'bun:test'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, run, type Service } from './executable'

const passwd = readFileSync('/etc/passwd', 'utf8')
  .split('\n')
  .map((line) => line.split(':'))
const [name, , uid, gid, , home] = passwd.find(([found]) => found === 'rowhouse') ?? passwd.find(([found]) => found === 'nobody') ?? []

/** The user that the service becomes when root starts it: `rowhouse` if the machine has that user. */
export const ordinaryUser = { name: name!, uid: Number(uid), gid: Number(gid), home: home! }

/** Every thread of a process: its four user ids, its four group ids, and whether it has any capability. */
export function threadsOf(pid: number): string[] {
  const found = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)\\s*$`, 'm').exec(status)?.[1]?.replaceAll('\t', ' ') ?? ''
    const capabilities = ['CapPrm', 'CapEff', 'CapAmb'].map(field).every((text) => /^0+$/.test(text)) ? 'none' : 'some'
    return `${field('Uid')} | ${field('Gid')} | ${field('Groups')} | ${capabilities}`
  })
  return [...new Set(found)]
}

const parentOf = (pid: number): number => {
  try {
    return Number(/^\d+ \(.*\) \w (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

/** A process with all of its descendants. */
function treeOf(pid: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Boolean)
  const childrenOf = (parent: number): number[] => all.filter((each) => parentOf(each) === parent)
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

const four = (id: number) => Array(4).fill(id).join(' ')
export const plain = [`${four(ordinaryUser.uid)} | ${four(ordinaryUser.gid)} | ${ordinaryUser.gid} | none`]

export const expectNoRoot = ({ pid }: Service) => {
  const tree = treeOf(pid)
  expect(tree.length).toBeGreaterThan(3)
  for (const each of tree) expect(threadsOf(each)).toEqual(plain)
}

export function secretFile(text: string): string {
  const path = join(newFolder(), 'secret')
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

export const ownersIn = (folder: string): number[] => [
  ...new Set([folder, ...(readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name))].map(ownerOf)),
]
export const ownerOf = (path: string) => lstatSync(path).uid

/** The only message of a rejected start. */
export async function refusal(environment: Record<string, string>): Promise<string> {
  const { code, stderr } = await run([], { environment: { PORT: '0', ...environment } })
  expect(code).toBe(1)
  return stderr
}

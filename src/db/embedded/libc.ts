import { dlopen, ptr } from 'bun:ffi'
import { closeSync, openSync } from 'node:fs'

const path = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'

/** The few calls of the C library that Bun does not offer. Opened on first use: most commands do not need them. */
const open = () =>
  dlopen(path, {
    flock: { args: ['i32', 'i32'], returns: 'i32' },
    setgroups: { args: ['u64', 'ptr'], returns: 'i32' },
    setgid: { args: ['u32'], returns: 'i32' },
    setuid: { args: ['u32'], returns: 'i32' },
    execv: { args: ['ptr', 'ptr'], returns: 'i32' },
    sync: { args: [], returns: 'void' },
  }).symbols

const openLinuxOnly = () =>
  dlopen(path, {
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    getppid: { args: [], returns: 'i32' },
    syncfs: { args: ['i32'], returns: 'i32' },
    sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
  }).symbols

const LOCK_EX_NB = 2 | 4
const LOCK_SH_NB = 1 | 4
const PR_SET_PDEATHSIG = 1
const SIGINT = 2
const SCHED_BATCH = 3

/** flock(2): true when this process now holds the file. The kernel releases it however the process ends. */
export const tryLock = (descriptor: number): boolean => open().flock(descriptor, LOCK_EX_NB) === 0

/** Like `tryLock`, but shared with others who only check: false when a process holds the file exclusively. */
export const trySharedLock = (descriptor: number): boolean => open().flock(descriptor, LOCK_SH_NB) === 0

/** Gives up root for good: supplementary groups first, because only root may drop them. */
export function becomeUser(uid: number, gid: number) {
  const libc = open()
  if (libc.setgroups(0, null) !== 0 || libc.setgid(gid) !== 0 || libc.setuid(uid) !== 0) {
    throw new Error(`Could not become the user with id ${uid}.`)
  }
}

/** prctl(2): this process gets SIGINT when its parent dies, by any signal. Linux only. */
export function interruptWhenParentDies(parent: number) {
  const libc = openLinuxOnly()
  libc.prctl(PR_SET_PDEATHSIG, BigInt(SIGINT), 0n, 0n, 0n)
  // The parent may have died before the call above; then no signal would ever come.
  if (libc.getppid() !== parent) process.kill(process.pid, 'SIGINT')
}

/**
 * sched_setscheduler(2): this process and its children do not preempt the process that wakes them. They still get their
 * share of time. Linux only; if it is not allowed, only time is lost.
 */
export function yieldWhenWoken() {
  openLinuxOnly().sched_setscheduler(0, SCHED_BATCH, ptr(new Int32Array(1)))
}

/**
 * Everything written to the filesystem of `folder` is on disk when this returns. One call instead of a thousand
 * fsync(2).
 */
export function syncFilesystem(folder: string) {
  if (process.platform !== 'linux') return open().sync()
  const descriptor = openSync(folder, 'r')
  try {
    if (openLinuxOnly().syncfs(descriptor) !== 0) throw new Error(`${folder} could not be written to disk.`)
  } finally {
    closeSync(descriptor)
  }
}

/** execv(3): this process becomes `file` and keeps its process id. Returns only if that failed. */
export function replaceProcess(file: string, args: string[]) {
  const texts = [file, ...args].map((text) => Buffer.from(`${text}\0`))
  const pointers = new BigUint64Array(texts.length + 1)
  texts.forEach((text, index) => {
    pointers[index] = BigInt(ptr(text))
  })
  open().execv(texts[0]!, pointers)
  throw new Error(`Could not execute ${file}.`)
}

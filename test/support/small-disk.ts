import { spawnSync } from 'node:child_process'
import { newFolder } from './executable'

type Work = (disk: string, enlarge: (options: string) => void) => Promise<void>

const mount = (...args: string[]) => spawnSync('mount', args).status === 0
const unmount = (folder: string) => spawnSync('umount', ['-l', folder])

/** Runs work on a separate disk, a tmpfs with the given size (and other options). */
export async function withSmallDisk(options: string, work: Work): Promise<void> {
  const disk = newFolder()
  const size = (given: string) => `size=${given},mode=755`
  if (!mount('-t', 'tmpfs', '-o', size(options), 'tmpfs', disk)) throw new Error('The small disk could not be mounted.')
  try {
    await work(disk, (more) => void mount('-o', `remount,${size(more)}`, disk))
  } finally {
    unmount(disk)
  }
}

/** Root may do so, unless a container prevents it. */
export function mayMountDisk(): boolean {
  const folder = newFolder()
  const isMounted = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
  if (isMounted) unmount(folder)
  return isMounted
}

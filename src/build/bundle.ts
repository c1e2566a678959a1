import { resolve } from 'node:path'

/** What is made, and the sources of which something is in it; what is imported and not used is not. */
export type Bundle = { outputs: Bun.BuildArtifact[]; sources: string[] }

/**
 * Bundles in the folder `tree`. Bun orders chunks and names them by the way to their sources from the current folder:
 * from another one the same sources make another result.
 */
export async function bundle(tree: string, config: Bun.BuildConfig): Promise<Bundle> {
  const before = process.cwd()
  process.chdir(tree)
  try {
    const { success, logs, outputs, metafile } = await Bun.build({ ...config, metafile: true, throw: false })
    if (!success || !metafile) throw new AggregateError(logs, `${config.entrypoints.join(', ')} cannot be bundled:\n${logs.join('\n')}`)
    return { outputs, sources: sourcesOf(metafile) }
  } finally {
    process.chdir(before)
  }
}

function sourcesOf({ outputs }: Bun.BuildMetafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  return [...new Set(inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [resolve(path)] : [])))].sort()
}

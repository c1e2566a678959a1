import { resolve } from 'node:path'

/** The results, and the sources that are contained in them; imported but unused sources are left out. */
export type Bundle = { outputs: Bun.BuildArtifact[]; sources: string[] }

/**
 * Bundles in the folder `tree`. Bun orders and names chunks by the path from the current folder to their sources: from
 * another folder the same sources make a different result.
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

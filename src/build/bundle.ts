import { resolve } from 'node:path'

/** The results and the sources that they contain. Sources that are imported but unused are left out. */
export type Bundle = { outputs: Bun.BuildArtifact[]; sources: string[] }

/**
 * Bundles in the folder `tree`. Bun orders and names chunks by the relative path of their sources from the current
 * folder, so the same sources give a different result in another folder.
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

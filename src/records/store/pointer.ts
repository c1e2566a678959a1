/**
 * The JSON Pointer (RFC 6901) to a name below `path`. Shortens long names, since a response need not repeat them whole.
 */
export const pointerTo = (path: string, name: string): string => `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`

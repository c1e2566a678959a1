/**
 * The JSON Pointer (RFC 6901) to a name below `path`. Names may be as long as a body; what is said again need not be.
 */
export const pointerTo = (path: string, name: string): string => `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`

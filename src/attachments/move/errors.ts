/** Files cannot be moved, or not yet; the message says why and what to do. */
export class MoveError extends Error {}

/** Files cannot be moved, or not yet; the message gives the reason and the remedy. */
export class MoveError extends Error {}

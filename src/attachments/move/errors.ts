/** Files cannot be moved, or cannot be moved yet. The message gives the reason and the remedy. */
export class MoveError extends Error {}

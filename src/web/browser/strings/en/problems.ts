/** What to tell about failures. A code that is not here is told in the service's own words (docs/errors.md). */
export const problems = {
  unreachable: 'The service cannot be reached. Check the connection and try again.',
  internal: (requestId: string) =>
    `Something went wrong in the service. Try again; if it stays, tell an administrator the number ${requestId}.`,
  byCode: {
    invalid_credentials: 'The e-mail address or the password is wrong.',
    setup_code_required: 'The one-time code is not right. Take the one that the running service has printed.',
    setup_done: 'Rowhouse has been set up already. Sign in instead.',
    wrong_password: 'The current password is wrong.',
    too_many_requests: 'Too many attempts. To keep guessers out, the next one is possible when the time below is over.',
    unavailable: 'The service is busy or starting. Try again in a moment.',
    query_timeout: 'This took too long and was stopped. Ask for less, or try again later.',
    forbidden: 'You may not do this. Ask an administrator.',
    payload_too_large: 'This is larger than the service takes.',
    insufficient_storage: 'The service has no room left. Tell an administrator.',
    invalid_session: 'Your session has ended. Sign in again.',
    unauthenticated: 'Your session has ended. Sign in again.',
  },
}

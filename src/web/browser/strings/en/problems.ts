/** Error messages. An error code without an entry shows the service's own message (docs/errors.md). */
export const problems = {
  unreachable: 'The service cannot be reached. Check your connection and try again.',
  internal: (requestId: string) =>
    `An internal error occurred. Try again. If the error persists, give an administrator the request ID ${requestId}.`,
  byCode: {
    invalid_credentials: 'The e-mail address or password is incorrect.',
    setup_code_required: 'The one-time code is incorrect. Use the code that the running service printed.',
    setup_done: 'Rowhouse is already set up. Sign in instead.',
    wrong_password: 'The current password is incorrect.',
    too_many_requests: 'Too many attempts. Wait for the time shown below, then try again.',
    request_in_progress: 'The same request is still running. Wait until it has ended.',
    unavailable: 'The service is busy or starting. Try again in a moment.',
    query_timeout: 'The query took too long and was cancelled. Narrow it with search or filters, or try again later.',
    payload_too_large: 'The request is larger than the service allows. Reduce its size and try again.',
    insufficient_storage: 'The service is out of storage space. Contact an administrator.',
    invalid_session: 'Your session has expired. Sign in again.',
    unauthenticated: 'Your session has expired. Sign in again.',
  },
}

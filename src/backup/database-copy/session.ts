/**
 * Overrides the settings of the database and the role, as the output of pg_dump does, but leaves the search path
 * unchanged.
 */
export const sessionSettings = `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 3;
  set bytea_output = 'hex'; set lc_monetary = 'C'; set xmloption = 'content'; set array_nulls = on; set row_security = off;
  set synchronize_seqscans = off; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_min_messages = 'warning'`

/** Changes a setting that only some versions and platforms have. */
const setIfKnown = (name: string, value: string) =>
  `do $$ begin perform pg_catalog.set_config('${name}', '${value}', false); exception when others then null; end $$`

/** A transaction that reads all rows takes a long time. */
export const noTransactionTimeout = setIfKnown('transaction_timeout', '0')

/** A session may be idle for an hour while the other database works. */
export const noIdleSessionTimeout = setIfKnown('idle_session_timeout', '0')

/** Lets the server end the session of a killed command soon. */
export const connectionCheck = setIfKnown('client_connection_check_interval', '1s')

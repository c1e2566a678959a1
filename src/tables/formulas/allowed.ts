/**
 * Functions that a formula may use: those of PostgreSQL that always return the same result for the same arguments
 * (`immutable` in pg_proc), and whose run time and result do not outgrow the arguments. A test compares each of them
 * with pg_proc.
 */
export const allowedFunctions = new Set([
  // Numbers
  ...['abs', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'mod', 'div', 'sign', 'sqrt', 'cbrt', 'power', 'exp', 'ln', 'log', 'gcd', 'lcm'],
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'degrees', 'radians', 'pi', 'width_bucket', 'scale', 'trim_scale'],
  // Text
  ...[
    'length',
    'char_length',
    'octet_length',
    'lower',
    'upper',
    'initcap',
    'btrim',
    'ltrim',
    'rtrim',
    'substr',
    'substring',
    'left',
    'right',
  ],
  ...['replace', 'translate', 'reverse', 'split_part', 'strpos', 'position', 'starts_with', 'overlay', 'ascii', 'chr', 'md5'],
  ...['lpad', 'rpad', 'regexp_replace', 'regexp_substr', 'regexp_like', 'regexp_count'],
  // Days and moments
  ...[
    'extract',
    'date_part',
    'date_trunc',
    'timezone',
    'make_date',
    'make_time',
    'age',
    'isfinite',
    'date_bin',
    'justify_days',
    'justify_hours',
  ],
  // Lists and JSON
  ...['cardinality', 'array_length', 'array_position', 'array_append', 'array_remove'],
  ...['jsonb_array_length', 'jsonb_typeof', 'jsonb_extract_path', 'jsonb_extract_path_text'],
  ...['num_nulls', 'num_nonnulls'],
])

/**
 * Functions with an argument that sets the length of the result: the index of that argument, which has to be a
 * constant.
 */
export const lengthArguments: Record<string, number> = { lpad: 1, rpad: 1 }
export const maxPaddedLength = 1000

/** Functions that replace every match with a text: the index of that argument, which has to be a constant. */
export const replacementArguments: Record<string, number> = { replace: 2, regexp_replace: 2 }
/** Nested replacements multiply; the limit allows eight of one letter by two. */
export const maxGrowthBytes = 256

export const allowedOperators = new Set([
  ...['+', '-', '*', '/', '%', '^', '||', '&', '|', '#', '<<', '>>', '~', '@', '|/'],
  ...['=', '<>', '!=', '<', '>', '<=', '>='],
  ...['~~', '!~~', '~~*', '!~~*', '~*', '!~', '!~*', '^@'],
  ...['->', '->>', '#>', '#>>', '@>', '<@', '&&'],
])

/** The last word of a type's name in the tree → the type. Others have no column, or depend on settings. */
export const allowedTypes: Record<string, string> = {
  ...{ int2: 'smallint', int4: 'integer', int8: 'bigint', numeric: 'numeric', float4: 'real', float8: 'double precision', bool: 'boolean' },
  ...{ text: 'text', varchar: 'varchar', bpchar: 'bpchar', uuid: 'uuid', json: 'json', jsonb: 'jsonb' },
  ...{ date: 'date', time: 'time', timestamp: 'timestamp', timestamptz: 'timestamptz', interval: 'interval' },
}

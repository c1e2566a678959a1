import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Event, Events } from '../ops/log/events'
import { commit, version } from '../ops/version'

/** In seconds. The last ones are for exports, imports and backups. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const jobBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

/** Others would let a caller create any number of time series. */
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type RequestDone = Extract<Event, { kind: 'request_done' }>

/**
 * The activity of this process since its start, counted from its events.
 * @param pendingRequests returns the number of running requests
 * @see https://prometheus.io/docs/practices/naming/
 */
export function serviceMetrics(events: Events, pendingRequests: () => number): Registry {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const requests = counter('rowhouse_http_requests_total', 'Requests answered.', ['method', 'route', 'status'])
  const durations = new Histogram({
    name: 'rowhouse_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer began.',
    labelNames: ['method', 'route'],
    buckets: requestBuckets,
    registers,
  })
  const jobs = counter('rowhouse_jobs_total', 'Exports, imports, documents and backups that have ended.', ['job', 'outcome'])
  const running = new Gauge({
    name: 'rowhouse_jobs_running',
    help: 'Exports, imports, documents and backups under way.',
    labelNames: ['job'],
    registers,
  })
  const jobDurations = new Histogram({
    name: 'rowhouse_job_duration_seconds',
    help: 'Time that exports, imports, documents and backups took.',
    labelNames: ['job'],
    buckets: jobBuckets,
    registers,
  })
  for (const job of ['export', 'import', 'document', 'backup']) running.set({ job }, 0)
  const signIns = counter('rowhouse_sign_ins_total', 'Attempts to sign in with a password.', ['outcome'])
  const pluginFailures = counter('rowhouse_plugin_failures_total', 'Calls of plugins that threw an error.', ['plugin'])
  const slow = counter('rowhouse_slow_statements_total', 'Statements that took ROWHOUSE_SLOW_QUERY or longer.')
  const restarts = counter('rowhouse_database_restarts_total', 'Times that the embedded PostgreSQL was started again after it had died.')
  const failures = counter('rowhouse_background_failures_total', 'Failures of work that no request waits for.')
  const missing = counter('rowhouse_missing_files_total', 'Reads of files whose bytes are missing or damaged.')
  new Gauge({ name: 'rowhouse_build_info', help: 'The version that runs.', labelNames: ['version', 'commit'], registers }).set(
    { version, commit },
    1,
  )

  const count = (event: Event) => {
    switch (event.kind) {
      case 'request_done':
        return countRequest(event)
      case 'job_started':
        return running.inc({ job: event.job })
      case 'job_ended':
        running.dec({ job: event.job })
        jobs.inc({ job: event.job, outcome: event.outcome })
        return jobDurations.observe({ job: event.job }, event.durationMs / 1000)
      case 'sign_in':
        return signIns.inc({ outcome: event.outcome })
      case 'plugin_failed':
        return pluginFailures.inc({ plugin: event.plugin })
      case 'statement_slow':
        return slow.inc()
      case 'database_died':
        return restarts.inc()
      case 'background_failed':
        return failures.inc()
      case 'file_missing':
        return missing.inc()
    }
  }
  const countRequest = ({ method, status, durationMs, details }: RequestDone) => {
    const labels = { method: knownMethods.includes(method) ? method : 'other', route: details.route ?? 'none' }
    requests.inc({ ...labels, status })
    durations.observe(labels, durationMs / 1000)
  }
  events.subscribe(count)
  processMetrics(registry, pendingRequests)
  return registry
}

/** Under the names that every Prometheus client uses for them. */
function processMetrics(registry: Registry, pendingRequests: () => number) {
  const lag = monitorEventLoopDelay({ resolution: 10 })
  lag.enable()
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('rowhouse_http_requests_in_flight', 'Requests under way.', pendingRequests)
  gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () =>
    Math.round(Date.now() / 1000 - process.uptime()),
  )
  gauge('process_resident_memory_bytes', 'Memory of the process, without PostgreSQL’s.', () => process.memoryUsage.rss())
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, without PostgreSQL’s.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'rowhouse_event_loop_lag_seconds',
    help: 'How late the event loop was since the last scrape, by the share of its turns that were no later.',
    labelNames: ['share'],
    registers: [registry],
    collect() {
      this.set({ share: '0.5' }, lag.percentile(50) / 1e9)
      this.set({ share: '0.99' }, lag.percentile(99) / 1e9)
      this.set({ share: '1' }, lag.max / 1e9)
      lag.reset()
    },
  })
}

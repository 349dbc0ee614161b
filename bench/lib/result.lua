-- The line that load.ts reads.
function done(summary, latency)
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"socketErrors":%d,"errorStatus":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    summary.errors.status, latency:percentile(50), latency:percentile(99), latency.max))
end

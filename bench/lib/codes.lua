-- Requests for codes at random: PREFIX and six hex digits below COUNT. LuaJIT's own generator, seeded per run.
local requests = {}
function init()
  math.randomseed(os.time())
  local count = tonumber(os.getenv("COUNT"))
  for i = 1, count do
    requests[i] = string.format("GET /%s%06x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", os.getenv("PREFIX"), i - 1)
  end
end
function request() return requests[math.random(#requests)] end

function done(summary, latency)
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"socketErrors":%d,"errorStatus":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    summary.errors.status, latency:percentile(50), latency:percentile(99), latency.max))
end

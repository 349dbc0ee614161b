-- Uploads of 4 KiB with names and contents of their own: TOKEN signs in.
local boundary = "----bench"
local number = 0
local filler = string.rep("x", 4096 - 24)
local headers = {
  ["Content-Type"] = "multipart/form-data; boundary=" .. boundary,
  ["Authorization"] = "Bearer " .. os.getenv("TOKEN"),
}
function request()
  number = number + 1
  local name = string.format("%s-%012d", os.getenv("RUN"), number)
  local body = "--" .. boundary .. '\r\nContent-Disposition: form-data; name="file"; filename="' .. name ..
    '"\r\nContent-Type: application/octet-stream\r\n\r\n' .. string.format("%-24s", name) .. filler ..
    "\r\n--" .. boundary .. "--\r\n"
  return wrk.format("POST", "/files/upload", headers, body)
end

function done(summary, latency)
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"errors":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout +
      summary.errors.status, latency:percentile(50), latency:percentile(99)))
end

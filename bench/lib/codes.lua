-- Requests for codes at random: PREFIX and six hex digits below COUNT. LuaJIT's own generator, seeded per run.
-- HOST is the Host header. With BROWSER set they have the headers of a browser that follows a link, from one of 300 sites; DEST is their Sec-Fetch-Dest.
-- Requests are made ahead, and on demand where there are more than a million of them.
local requests = {}
local prefix, count = os.getenv("PREFIX"), tonumber(os.getenv("COUNT"))
local host = os.getenv("HOST") or "127.0.0.1"
local isBrowser = os.getenv("BROWSER") ~= nil
local browser = "Referer: https://www.site-%d.example/articles/2026/some-page?from=list\r\n" ..
  "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36\r\n" ..
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" ..
  "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" ..
  "Upgrade-Insecure-Requests: 1\r\nSec-Fetch-Dest: " .. (os.getenv("DEST") or "document") .. "\r\nSec-Fetch-Mode: navigate\r\n" ..
  "Sec-Fetch-Site: cross-site\r\nSec-Fetch-User: ?1\r\n"
local function make(i)
  local headers = isBrowser and string.format(browser, i % 300, 100 + i % 40) or ""
  return string.format("GET /%s%06x HTTP/1.1\r\nHost: %s\r\n%s\r\n", prefix, i - 1, host, headers)
end
function init()
  math.randomseed(os.time())
  if count > 1000000 then return end
  for i = 1, count do requests[i] = make(i) end
end
function request() return requests[1] and requests[math.random(#requests)] or make(math.random(count)) end
require("result")

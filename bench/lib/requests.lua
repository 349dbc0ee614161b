-- One kind of request: METHOD, TARGET (a path), TOKEN, BODY, TYPE (of the body), ACCEPT. In path and body {n} stands for
-- the number of the request, {r} for six hex digits at random below COUNT, {fill} in the body for FILL bytes.
local method, target = os.getenv("METHOD"), os.getenv("TARGET")
local body, count = os.getenv("BODY"), tonumber(os.getenv("COUNT"))
local number = tonumber(os.getenv("FIRST"))
local filler = string.rep("x", tonumber(os.getenv("FILL") or "0"))
local headers = { ["Accept"] = os.getenv("ACCEPT") }
if os.getenv("TOKEN") ~= nil then headers["Authorization"] = "Bearer " .. os.getenv("TOKEN") end
if body ~= nil then headers["Content-Type"] = os.getenv("TYPE") end
local function fill(text)
  if text == nil or not text:find("{", 1, true) then return text end
  return (text:gsub("{n}", string.format("%06x", number)):gsub("{r}", string.format("%06x", math.random(count) - 1)))
end
function init() math.randomseed(os.time()) end
local varies = (target .. (body or "")):find("{[nr]}") ~= nil
local constant
function request()
  -- Not before: wrk adds the Host header when it starts.
  if not varies then
    constant = constant or wrk.format(method, target, headers, body)
    return constant
  end
  number = number + 1
  local filled = fill(body)
  if #filler > 0 then
    local from, to = filled:find("{fill}", 1, true)
    filled = filled:sub(1, from - 1) .. filler .. filled:sub(to + 1)
  end
  return wrk.format(method, fill(target), headers, filled)
end
require("result")

-- Lease what is due to one worker.
-- KEYS due, lease, pace, breaker, tickets, suspects, drain
-- ARGV limit, concurrency, ahead ms, lease ms, worker, 1 if the worker has nothing in flight,
--      tokens a minute, cap, ticket life ms after its first lease, lone crashes that quarantine, ticket ids ...
-- Returns {server µs, 1 if this worker should empty itself for a suspect, {quarantined ids},
--          {id, due ms, 1 if alone, ...}}
-- A lease is "fence|worker|due|alone" in the hash; the score of a leased id is the end of its lease.
local t = redis.call('TIME')
local micros = tonumber(t[1]) * 1000000 + tonumber(t[2])
local now = math.floor(micros / 1000)
local fence = string.format('%.0f', micros)
local limit, concurrency, ahead = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lease_end, worker, idle = now + tonumber(ARGV[4]), ARGV[5], ARGV[6] == '1'
local none = {fence, 0, {}, {}}

for i = 11, #ARGV do redis.call('ZADD', KEYS[5], 'XX', now + tonumber(ARGV[9]), ARGV[i]) end

local open_until = tonumber(redis.call('HGET', KEYS[4], 'until') or 0)
if open_until > now then return none end
local probing = open_until > 0

local rate = tonumber(ARGV[7]) / 60000
local bucket = redis.call('HMGET', KEYS[3], 'tokens', 'at')
local room = tonumber(ARGV[8])
if bucket[1] then room = math.min(room, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * rate) end
room = math.min(math.floor(room), limit)

local suspects = redis.call('HLEN', KEYS[6])

-- The lease ended and nobody returned it: its worker died, hangs, or this target killed it. It is due as it was.
local function reclaim(id, held)
  local due, alone = string.match(held, '^[^|]*|[^|]*|([^|]*)|(%d)$')
  if alone == '1' then redis.call('HINCRBY', KEYS[6], id, 1) else redis.call('HSETNX', KEYS[6], id, 0) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZADD', KEYS[1], due, id)
  suspects = suspects + 1
  return tonumber(due)
end

-- Dead leases must not use up the concurrency, however many ids are due before them.
if probing or redis.call('HLEN', KEYS[2]) >= concurrency then
  local held = redis.call('HGETALL', KEYS[2])
  for i = 1, #held, 2 do
    local score = redis.call('ZSCORE', KEYS[1], held[i])
    if not score then
      redis.call('HDEL', KEYS[2], held[i])
    elseif tonumber(score) <= now then
      reclaim(held[i], held[i + 1])
    end
  end
end

local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now + ahead, 'WITHSCORES', 'LIMIT', 0,
                         math.min(limit + suspects + 100, 1000))
local candidates, quarantined = {}, {}
for i = 1, #found, 2 do
  local id, score = found[i], tonumber(found[i + 1])
  local held = redis.call('HGET', KEYS[2], id)
  if held and score <= now then
    score, held = reclaim(id, held), nil
  end
  if not held then
    local crashes = -1
    if suspects > 0 then crashes = tonumber(redis.call('HGET', KEYS[6], id) or -1) end
    candidates[#candidates + 1] = {id, score, crashes}
  end
end

-- The worker that emptied itself takes a suspect first, however late the others are.
local drainer = redis.call('GET', KEYS[7])
if drainer == worker and idle then
  local first = 0
  for i, candidate in ipairs(candidates) do
    if first == 0 and candidate[3] >= 0 then first = i end
  end
  if first > 0 then table.insert(candidates, 1, table.remove(candidates, first)) else redis.call('DEL', KEYS[7]) end
end

local in_flight = redis.call('HLEN', KEYS[2])
room = math.min(room, concurrency - in_flight)
if probing then room = math.min(room, 1 - in_flight) end
if room <= 0 then return none end

local granted, lease, score, lonely = {}, {}, {}, false
local function grant(candidate, alone)
  local due = string.format('%.0f', candidate[2])
  granted[#granted + 1], granted[#granted + 2], granted[#granted + 3] = candidate[1], due, alone
  lease[#lease + 1], lease[#lease + 2] = candidate[1], fence .. '|' .. worker .. '|' .. due .. '|' .. alone
  score[#score + 1], score[#score + 2] = lease_end, candidate[1]
end
for _, candidate in ipairs(candidates) do
  if #granted / 3 >= room then break end
  if candidate[3] >= tonumber(ARGV[10]) then
    redis.call('ZREM', KEYS[1], candidate[1])
    redis.call('HDEL', KEYS[6], candidate[1])
    quarantined[#quarantined + 1] = candidate[1]
  elseif candidate[3] < 0 then
    grant(candidate, 0)
  elseif idle and #granted == 0 then
    grant(candidate, 1)
    break
  else
    lonely = true
  end
end
if #granted > 0 then
  redis.call('HSET', KEYS[2], unpack(lease))
  redis.call('ZADD', KEYS[1], unpack(score))
end

local drain = 0
if lonely and (not drainer or drainer == worker) then
  redis.call('SET', KEYS[7], worker, 'PX', 15000)
  drain = 1
end
return {fence, drain, quarantined, granted}

-- May a ticket be sent to this marketplace's workers now? Leases nothing.
-- KEYS due, pace, breaker, tickets
-- ARGV ahead ms, tokens a minute, cap, ticket id, ticket life ms, due count for a second ticket
-- Returns {1 if the ticket was noted, server ms, server ms at which to ask again or -1}
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local ahead, per_minute, cap = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local open_until = tonumber(redis.call('HGET', KEYS[3], 'until') or 0)
if open_until > now then return {0, now, open_until} end

local due = redis.call('ZCOUNT', KEYS[1], '-inf', now + ahead)
if due == 0 then
  local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if #head == 0 then return {0, now, -1} end
  return {0, now, math.floor(tonumber(head[2])) - ahead}
end

local rate = per_minute / 60000
local bucket = redis.call('HMGET', KEYS[2], 'tokens', 'at')
local tokens = cap
if bucket[1] then tokens = math.min(cap, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * rate) end
if tokens < 1 then return {0, now, now + math.ceil((1 - tokens) / rate)} end

redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
local live = redis.call('ZCARD', KEYS[4])
if live >= 2 or (live == 1 and due < tonumber(ARGV[6])) then return {0, now, now + 50} end
redis.call('ZADD', KEYS[4], now + tonumber(ARGV[5]), ARGV[4])
redis.call('PEXPIRE', KEYS[4], tonumber(ARGV[5]) * 2)
return {1, now, now + 50}

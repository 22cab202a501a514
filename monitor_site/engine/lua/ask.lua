-- May a ticket be sent to this marketplace's workers now? Leases nothing.
-- KEYS due, pace, breaker, tickets, looks
-- ARGV ahead ms, tokens a minute, cap, ticket id, ticket life ms, due count for a second ticket,
--      ticket life ms after a lease, 1 if something was put in that whoever holds a ticket does not know of
-- Returns {1 if the ticket was noted, server ms, server ms at which to ask again or -1}
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local ahead, per_minute, cap = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local open_until = tonumber(redis.call('HGET', KEYS[3], 'until') or 0)
if open_until > now then return {0, now, open_until} end

-- Until when a ticket that was taken has this marketplace looked after; every lease call renews it while it is calm.
local function covered()
  local last = redis.call('ZREVRANGE', KEYS[4], 0, 0, 'WITHSCORES')
  local ends = #last > 0 and math.floor(tonumber(last[2])) or now
  return ends <= now + tonumber(ARGV[7]) and ends or now
end

local searches = redis.call('ZCOUNT', KEYS[1], '-inf', now + ahead)
local due = searches + redis.call('ZCOUNT', KEYS[5], '-inf', now + ahead)
local function head(set)
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  return #first > 0 and math.floor(tonumber(first[2])) - ahead or math.huge
end
if due == 0 then
  local again = math.min(head(KEYS[1]), head(KEYS[5]))
  return {0, now, again < math.huge and math.max(again, covered()) or -1}
end

local rate = per_minute / 60000
local bucket = redis.call('HMGET', KEYS[2], 'tokens', 'at')
local tokens = cap
-- After a clock set back nobody knows how long it rested; the first request finds out.
local rested = now - (tonumber(bucket[2]) or now)
if bucket[1] and rested >= 0 then tokens = math.min(cap, tonumber(bucket[1]) + rested * rate) end
-- A look leaves a token to the search that is due next.
local needed = (searches > 0 or cap < 2) and 1 or 2
if tokens < needed then
  local again = now + math.ceil((needed - tokens) / rate)
  return {0, now, searches > 0 and again or math.min(again, head(KEYS[1]))}
end

-- Old tickets, and those of a time that a clock set back has taken back.
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '(' .. string.format('%.0f', now + tonumber(ARGV[5])), '+inf')
local live, most = redis.call('ZCARD', KEYS[4]), tonumber(ARGV[6])
local soon, until_then = now + 50, covered()
local is_unknown = ARGV[8] == '1' and until_then > now
if live >= 2 or (live == 1 and due < most and not is_unknown) then
  return {0, now, due * 4 < most and math.max(soon, until_then) or soon}
end
redis.call('ZADD', KEYS[4], now + tonumber(ARGV[5]), ARGV[4])
redis.call('PEXPIRE', KEYS[4], tonumber(ARGV[5]) * 2)
return {1, now, soon}
